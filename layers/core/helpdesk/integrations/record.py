"""Connections, their tokens, the operator's credentials, and a connection on its way through a service's pages."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from helpdesk.events.integration_jobs import App
from helpdesk.platform.record import Record
from helpdesk.storage import shards
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored, field


class About(NamedTuple):
    """What is known of an app without its adapter.

    service           the name that people know
    credentials       what the operator enters (`scripts.admin set-app`); `private_key` is the path of a file
    several_accounts  whether an organization may connect more than one account
    """

    service: str
    credentials: tuple[str, ...]
    several_accounts: bool = False


APPS = {
    App.GITHUB: About(
        "GitHub",
        ("app_id", "slug", "client_id", "client_secret", "private_key", "hook_secret"),
        several_accounts=True,
    ),
    App.SLACK: About("Slack", ("client_id", "client_secret", "signing_secret")),
    App.DISCORD: About("Discord", ("client_id", "client_secret", "public_key", "bot_token")),
    App.LINEAR: About("Linear", ("client_id", "client_secret", "hook_secret")),
}

ONE = "one"
"""The slot of the connection of an app that has one account."""


def slot_of(app: App, account_id: str) -> str:
    """Return where a connection to an account is kept: an app with one account keeps one connection."""
    return account_id if APPS[app].several_accounts else ONE


MAX_ACCOUNT_CHARACTERS = 100


class ConnectionStatus(StrEnum):
    """Whether a service lets the organization in."""

    CONNECTED = "connected"
    BROKEN = "broken"
    NOT_CONNECTED = "not_connected"


class Connection(Stored, kw_only=True):
    """A connection of an organization to an account of a service.

    slot        where it is kept: the account's id where an app has several, else `one`
    id          of this connection; connecting the account again makes another one
    account_id  the service's id of the account: an installation, a workspace, a server
    account     its name
    problem     why the connection is broken; None if it is not
    details     what the adapter keeps with it, such as the id of the bot; no secret
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "CONNECTION#{app}#{slot}"
    GSI1 = "CONNECTIONS#{shard}", "{organization}#{app}#{slot}"
    organization: str
    app: App
    slot: str
    id: str
    account_id: str
    account: str
    status: ConnectionStatus
    problem: str | None = None
    connected_at: int
    connected_by_name: ActorName
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shard(self) -> int:
        """The shard of the index of all connections."""
        return shards.shard_of(self.organization)


class ConnectedAccount(Stored):
    """That an organization is connected to an account of a service."""

    PK, SK = "SERVICEACCOUNT#{app}#{account_id}", "ORGANIZATION#{organization}"
    app: App
    account_id: str
    organization: str


class Tokens(Record):
    """What a service takes instead of a password, by names that the adapter chooses.

    `ends_at` (ms) is when the token that is sent ends; None if it does not. A token that ended is renewed before use.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    ends_at: int | None = None

    def __repr__(self) -> str:
        """Show no secret."""
        return f"Tokens(ends_at={self.ends_at})"


class ConnectionTokens(Stored, kw_only=True):
    """The tokens of a connection, how often they were renewed, and until when (ms) a worker renews them."""

    PK, SK = "ORG#{organization}#TOKENS", "CONNECTION#{connection_id}"
    organization: str
    connection_id: str
    values: Mapping[str, str]
    ends_at: int | None = None
    version: int
    claimed_until: int = 0

    @property
    def tokens(self) -> Tokens:
        """The tokens alone."""
        return Tokens(self.values, self.ends_at)

    def __repr__(self) -> str:
        """Show no secret."""
        return f"ConnectionTokens({self.connection_id})"


class AppCredentials(Stored):
    """What the operator entered for an app.

    `former` is what that replaced: what is signed with it is accepted until `former_until` (ms).
    """

    PK, SK = "APPSECRET#{app}", "APPSECRET"
    app: App
    values: Mapping[str, str]
    former: Mapping[str, str] | None = None
    former_until: int = 0

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    def before(self, now: int) -> "AppCredentials | None":
        """Return the former credentials, if what is signed with them is accepted at an instant (ms)."""
        if self.former is None or now >= self.former_until:
            return None
        return AppCredentials(self.app, self.former)

    def __repr__(self) -> str:
        """Show no secret."""
        return f"AppCredentials({self.app.value})"


class ConnectState(Stored, kw_only=True):
    """A connection that a person began: in which browser, for which organization, until when (ms).

    `verifier` is the secret of PKCE (RFC 7636); `way` and `account` are what the person chose, empty if nothing.
    """

    PK, SK = "OAUTH#CONNECT#{state_hash}", "CONNECT"
    state_hash: str
    app: App
    organization: str
    user_id: str
    browser_hash: str
    verifier: str
    valid_until: int
    way: str = ""
    account: str = ""
    expires_at: int
