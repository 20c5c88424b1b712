"""What an adapter is: up to three modules of its own package, one for each function that loads it.

    connector  for Connect: leads an admin to the service's pages, and takes what they bring back
    receiver   for Hooks: checks the signature of what the service sends, and says what is to be done
    worker     for IntegrationWorker: renews tokens, and does the work

A module of functions with these names is one: `connector: Connector = helpdesk.codehost.connector`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform.record import Record


class Way(NamedTuple):
    """A way to connect: its name in the form, and what its button says."""

    name: str
    label: str


ONE_WAY: tuple[Way, ...] = ()
"""The ways of a service with one page: its button is named after the service."""


class Authorization(Record):
    """What the service's page is to bring back: our `state`, to our address, for this PKCE challenge (S256).

    `way` is the name of the way that the person chose, empty for the first one.
    """

    state: str
    redirect_uri: str
    challenge: str
    way: str = ""


class Callback(Record):
    """What the service's page brought back.

    parameters  every parameter by its name
    redirect_uri, verifier  what the code is exchanged with
    way, account  what the person chose before they left: a way, and the name of an account; empty if they did not
    connected   returns which accounts, by their ids, the organization has working connections to
    """

    parameters: Mapping[str, str]
    redirect_uri: str
    verifier: str
    way: str = ""
    account: str = ""
    connected: Callable[[Sequence[str]], frozenset[str]] = lambda _: frozenset()


class Connected(Record):
    """An account that the person may connect: its id and name, its tokens, and what the adapter keeps with it."""

    account_id: str
    account: str
    tokens: Tokens
    details: Mapping[str, Any]


class AccountChoice(Record):
    """Names of accounts of which the person chooses one. The choice starts again with that name."""

    accounts: tuple[str, ...]


class Connector(Protocol):
    """Leads an admin to the service's pages."""

    WAYS: tuple[Way, ...]
    """The ways to connect, the usual one first; none for a service with one page."""

    def authorize_url(self, app: AppCredentials, wanted: Authorization, /) -> str:
        """Return the address of the service's page."""
        ...

    def connect(self, app: AppCredentials, callback: Callback, /) -> Connected | AccountChoice:
        """Exchange what came back for an account. Raises ConnectFailed if that fails or it is not the person's."""
        ...


class Hook(Record):
    """A request of a service: its headers by their names in lower case, and the bytes that are signed."""

    headers: Mapping[str, str]
    body: bytes


class Received(Record):
    """What is to be done about a request.

    delivery_id  the service's id of the request, the same when it is sent again
    account_id   the account that it is about; no work follows from None
    event        what happened, in the adapter's words
    data         what the worker needs to know of it, a few kilobytes
    answer       the body of the response, where the service reads one
    """

    delivery_id: str
    account_id: str | None
    event: str
    data: Mapping[str, Any]
    answer: Mapping[str, Any] | None = None


class Receiver(Protocol):
    """Reads what a service sends."""

    def verify(self, app: AppCredentials, hook: Hook, /) -> None:
        """Raise InvalidSignature unless the service signed the bytes, in time. Compares in constant time."""
        ...

    def read(self, hook: Hook, /) -> Received:
        """Return what is to be done about a request that was verified. Raises InvalidJson, InvalidRequest.

        A LookupError, TypeError, AttributeError, ValueError or ArithmeticError means that the request has another form
        than the service describes.
        """
        ...


class Worker(Protocol):
    """Does the work. Each of its functions may be called again with the same arguments, and then does nothing more."""

    HOSTS: frozenset[str]
    """The hosts of the service that requests go to."""

    def renew(self, app: AppCredentials, connection: Connection, tokens: Tokens, /) -> Tokens:
        """Return new tokens. Raises Revoked, TryLater."""
        ...

    def headers(self, tokens: Tokens, /) -> Mapping[str, str]:
        """Return the headers that every request with these tokens has."""
        ...

    def take_hook(self, connection: Connection, event: str, data: Mapping[str, Any], until: int, /) -> str:
        """Do what a request of the service asks for; return the outcome, for the log."""
        ...

    def work(self, job: IntegrationJob, until: int, /) -> str:
        """Do a job of the adapter's own until an instant (ms); return the outcome, for the log."""
        ...

    def signal_changed(self, organization: str, signal_id: str, filed: bool, /) -> str:  # noqa: FBT001
        """Follow a signal that was filed, or that changed its status."""
        ...

    def connected(self, connection: Connection, /) -> str:
        """Begin what begins with a connection, or begins again when it is mended, and each night."""
        ...

    def removed(self, app: AppCredentials | None, connection: Connection, tokens: Tokens | None, /) -> None:
        """Give back at the service what is left of a removed connection."""
        ...
