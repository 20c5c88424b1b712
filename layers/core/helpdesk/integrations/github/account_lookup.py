"""Finds the connected account that has a repository."""

from collections.abc import Iterable

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import (
    CommitRepoNotFound,
    GitHubNotConnected,
    connected_accounts,
    how_to_connect,
)
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform.text import as_name


def owner_of(organization: str, repo: str) -> Connection | None:
    """Return the connection to the account that has a repository, or None. One call."""
    return _owner_among(integrations.connections(organization, App.GITHUB), repo)


def require_owner(organization: str, repo: str) -> Connection:
    """Return the connection to the account that has a repository. Raises GitHubNotConnected. One call."""
    connected = integrations.connections(organization, App.GITHUB)
    found = _owner_among(connected, repo)
    if found is not None:
        return found
    if not connected:
        raise GitHubNotConnected
    raise GitHubNotConnected(
        f"No connected GitHub account owns {repo}. Connect {repo.partition('/')[0]} first. "
        f"{how_to_connect(App.GITHUB)} {connected_accounts(each.account for each in connected)}"
    )


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


def require_reported(organization: str, repo: str) -> None:
    """Raise CommitRepoNotFound if GitHub accounts are connected and none has a repository. One call.

    Without a connected account any CI may report any repository. An account whose connection broke still has its own.
    """
    accounts = [each.account for each in integrations.connections(organization, App.GITHUB)]
    owner, _, name = as_name(repo).partition("/")
    if not accounts or (name and owner.casefold() in {each.casefold() for each in accounts}):
        return
    raise CommitRepoNotFound(
        f"`repo` must be a repository of a connected account, as `owner/repo`. Or connect its account. "
        f"{how_to_connect(App.GITHUB)} {connected_accounts(accounts)}"
    )
