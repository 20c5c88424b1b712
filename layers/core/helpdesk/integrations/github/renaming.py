"""Repositories and accounts that have another name by now: their mirrors and issues follow.

GitHub sends that it renamed something, and leads requests under the old name to an address with the repository's id.
Nothing is followed by itself: a name may belong to another repository by now, so the id says which one it is.
"""

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations import service as integrations
from helpdesk.integrations.github import (
    account_lookup,
    app_identity,
    issue_renames,
    issue_settings,
    mirror_store,
)
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github.api import NotThere
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.github.errors import RepoAlreadyConnected
from helpdesk.integrations.github.mirror_record import mirrors
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed


def follow(organization: str, before: str, now: str, number: int | None, *, holds: bool = False) -> bool:
    """Give what is known of the repository with an id its new name; return whether its mirror, if any, has it.

    `holds` says that the caller has the claim of the mirror's sync. A new name that is mirrored keeps its own mirror.
    """
    if before.casefold() == now.casefold():
        return True
    issue_renames.begin(organization, before, now, number)

    def attempt() -> bool:
        mirror = mirror_store.find(organization, before)
        if mirror is None or not issue_settings.is_that(mirror.repo_id, number):
            return True
        try:
            mirror_store.rename(mirror, now, holds=holds)
        except RepoAlreadyConnected:
            return False
        return True

    return repeat_when_stale(attempt, ConditionFailed)


def name_of(organization: str, number: int) -> str:
    """Return the name of the repository with an id, which any connected account may have. Raises NotThere, TryLater."""
    for connection in integrations.connections(organization, App.CODEHOST):
        if connection.status is ConnectionStatus.BROKEN:
            continue
        try:
            return github.name_of(GITHUB.open(connection), number)
        except (NotThere, Revoked, NotConnectedNow):
            continue
    raise NotThere(
        "The repository was deleted, or transferred to an account that is not connected. "
        "Connect that account, or remove the mirror."
    )


def require_connected(organization: str, before: str, now: str) -> None:
    """Raise NotThere unless a connected account, which may be renamed, too, has a repository. `before` is held."""
    if account_lookup.owner_of(organization, now) is not None:
        return
    connection = account_lookup.owner_of(organization, before)
    if connection is not None:
        look_at_account(connection, held=before)
    if account_lookup.owner_of(organization, now) is None:
        raise NotThere(
            f"The repository was transferred and is {now} by now. Ask an admin to connect that account."
        )


def look_at_account(connection: Connection, held: str = "") -> str:
    """Ask GitHub what an account is called, and follow a new name; return it. `held` as below. Raises TryLater."""
    app = credentials.of(App.CODEHOST)
    login = None if app is None else app_identity.login_of(app, connection.account_id)
    if login is not None:
        follow_account(connection, login, held)
    return login or connection.account


def follow_account(connection: Connection, login: str, held: str = "") -> bool:
    """Give a connection and its repositories the account's new name; return whether it is another one.

    `held` is the repository whose sync the caller has the claim of.
    """
    before, organization = connection.account, connection.organization
    if login.casefold() == before.casefold():
        return False
    integrations.rename_account(connection, login)
    repos = {each.repo for each in mirrors.all(organization)}
    chosen = issue_settings.SETTINGS.get(organization).repo
    for repo in sorted(repos | ({chosen} if chosen else set())):
        owner, _, name = repo.partition("/")
        if owner.casefold() == before.casefold():
            follow(organization, repo, f"{login}/{name}", None, holds=repo == held)
    return True
