"""Keys of connections to other services, of mirrored repositories, and of what connects and comes in.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Connection(ItemKey):
    """A connection to an account of a service; `slot` is the account's id where an app has several, else `one`."""

    PK, SK = "ORG#{organization}#INTEGRATION", "CONNECTION#{app}#{slot}"
    organization: str
    app: str
    slot: str


class MissedConversation(ItemKey):
    """A conversation that had something new while an app could post nothing in an account."""

    PK, SK = "ORG#{organization}#MISSED#{app}#{account_id}", "CONV#{conversation_id}"
    organization: str
    app: str
    account_id: str
    conversation_id: str


class ConnectionTokens(ItemKey):
    """The tokens of a connection, and the claim of the worker that renews them."""

    PK, SK = "ORG#{organization}#TOKENS", "CONNECTION#{connection_id}"
    organization: str
    connection_id: str


class ConnectedAccount(ItemKey):
    """That an organization is connected to an account of a service."""

    PK, SK = "SERVICEACCOUNT#{app}#{account_id}", "ORGANIZATION#{organization}"
    app: str
    account_id: str
    organization: str


class AppCredentials(ItemKey):
    """The operator's credentials of an app at a service."""

    PK, SK = "APPSECRET#{app}", "APPSECRET"
    app: str


class HookAttempt(ItemKey):
    """That a service was asked to deliver a request again after an attempt that failed, by its id of the attempt."""

    PK, SK = "HOOKATTEMPT#{app}#{attempt_id}", "ATTEMPT"
    app: str
    attempt_id: str


class ConnectState(ItemKey):
    """A connection on its way through a service's pages, by the SHA-256 of its `state`."""

    PK, SK = "OAUTH#CONNECT#{state_hash}", "CONNECT"
    state_hash: str


def connected_account(app: str, account_id: str) -> str:
    """Return the partition of the organizations that are connected to an account."""
    return f"SERVICEACCOUNT#{app}#{account_id}"
