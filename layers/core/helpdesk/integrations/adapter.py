"""What an app consists of: three modules in a package of its own, one for each function that loads it.

    connector  for Connect: sends an admin to the service's pages, and reads what they return
    receiver   for Hooks: checks the signature of a webhook, and reads what the worker needs
    worker     for IntegrationWorker: a class, `Adapter`, that does the work

Connectors and receivers are modules with the functions below. How requests to the service are authenticated is a
`Service` (accounts.py).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service
from helpdesk.integrations.errors import NotConnectedNow, Revoked, UnknownJob
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform.errors import AppError
from helpdesk.platform.record import Record

type Step = Callable[[Connection], str]
"""Does a job for a connection; returns the outcome."""


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


class Adapter:
    """What IntegrationWorker does for the accounts of one app.

    Each method returns an outcome for the log. It may be called again with the same arguments, and then does nothing
    more.
    """

    app: ClassVar[App]

    def handle_webhook(self, connection: Connection, event: str, data: Mapping[str, Any]) -> str:
        """Handle what the service sent about an account. Raises Revoked, TryLater."""
        raise NotImplementedError

    def on_connect(self, connection: Connection) -> str:
        """Start the work of a connection. Runs again every night, and when a broken connection works again."""
        raise NotImplementedError

    def on_disconnect(self, connection: Connection, tokens: Tokens) -> None:
        """Clean up at the service after a connection was removed; these were its tokens. Raises Revoked, TryLater."""

    def on_signal(self, organization: str, signal_id: str, *, filed: bool) -> str:  # noqa: ARG002 - for subclasses
        """Follow a signal that was filed, or that changed its status. Raises NotConnectedNow, TryLater."""
        return "nothing"

    def run(self, job: IntegrationJob, until: int) -> str:
        """Run a job of the app's own kinds until an instant (ms). Raises NotConnectedNow, TryLater, UnknownJob.

        The default is for an app that has one account: it runs the step of the job's kind.
        """
        return self.run_step(self.connection_of(job.organization or ""), job, until)

    def run_step(self, connection: Connection, job: IntegrationJob, until: int) -> str:
        """Run the step of a job's kind."""
        step = self.steps(job, until).get(job.kind)
        if step is None:
            raise UnknownJob(job.kind)
        return self.attempt(connection, step)

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:  # noqa: ARG002 - for subclasses
        """Return what to do for each kind of job."""
        return {}

    def attempt(self, connection: Connection, step: Step) -> str:
        """Run a step. A connection whose credentials the service rejects becomes broken."""
        try:
            return step(connection)
        except Revoked as problem:
            return service.mark_broken(connection, problem)

    def connection_of(self, organization: str) -> Connection:
        """Return the connection of an organization. Raises NotConnectedNow."""
        try:
            return service.connection(organization, self.app)
        except AppError:
            raise NotConnectedNow from None
