"""Finds the connected account that has a repository."""

from collections.abc import Iterable

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import CodehostNotConnected, connected_accounts, how_to_connect
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.outcomes import NotConnectedNow
from helpdesk.integrations.record import Connection, ConnectionStatus


def owner_of(organization: str, repo: str) -> Connection | None:
    """Return the connection to the account that has a repository, or None. One call."""
    return _owner_among(integrations.connections(organization, App.CODEHOST), repo)


def require_owner(organization: str, repo: str) -> Connection:
    """Return the connection to the account that has a repository. Raises CodehostNotConnected. One call."""
    connected = integrations.connections(organization, App.CODEHOST)
    found = _owner_among(connected, repo)
    if found is not None:
        return found
    if not connected:
        raise CodehostNotConnected
    raise CodehostNotConnected(
        f"No connected GitHub account owns {repo}. Connect {repo.partition('/')[0]} first. "
        f"{how_to_connect(App.CODEHOST)} {connected_accounts(each.account for each in connected)}"
    )


def account_of(organization: str, repo: str) -> Account:
    """Return the account that has a repository. Raises NotConnectedNow, TryLater, Revoked."""
    connection = owner_of(organization, repo)
    if connection is None:
        raise NotConnectedNow
    return GITHUB.open(connection)


def _owner_among(connected: Iterable[Connection], repo: str) -> Connection | None:
    """Return the connection to the account that has a repository, or None.

    An App that was installed again has a connection of its own: one that works comes before a broken one, and a newer
    one before an older one.
    """
    owner = repo.partition("/")[0].casefold()
    found = [each for each in connected if each.account.casefold() == owner]
    return max(
        found, key=lambda each: (each.status is not ConnectionStatus.BROKEN, each.connected_at), default=None
    )
