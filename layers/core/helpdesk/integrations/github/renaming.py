"""Repositories and accounts that have another name by now: their mirrors and issues follow.

GitHub sends that it renamed something, and leads requests under the old name to an address with the repository's id.
Nothing is followed by itself: a name may belong to another repository by now, so the id says which one it is.
"""

from collections.abc import Mapping
from copy import replace
from typing import Any

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import credentials
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import NotConnectedNow, RepoAlreadyConnected, Revoked
from helpdesk.integrations.github import (
    account_lookup,
    app_identity,
    issue_settings,
    issue_store,
    mirror_store,
)
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github.api import NotThere
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.github.issue_store import BY_NAME, IssueNumber, issues
from helpdesk.integrations.github.mirror_store import mirrors
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import CodehostLink, StaleSignal
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

RENAME_ISSUES = "rename_issues"
"""The kind of the job that gives the issues of a repository its new name, in slices."""
ISSUES_RENAMED = "renamed"
"""The outcome of that job's last slice."""
_ON_A_PAGE = 200


def follow(organization: str, before: str, now: str, number: int | None, *, holds: bool = False) -> bool:
    """Give what is known of the repository with an id its new name; return whether its mirror, if any, has it.

    `holds` says that the caller has the claim of the mirror's sync. A new name that is mirrored keeps its own mirror.
    """
    if before.casefold() == now.casefold():
        return True
    begin_issues(organization, before, now, number)

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
    for connection in integrations.connections(organization, App.GITHUB):
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
    app = credentials.of(App.GITHUB)
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


def begin_issues(organization: str, before: str, now: str, number: int | None) -> None:
    """Give the repository of issues its new name, if it is that with an id, and queue the rest."""
    data = {"from": before, "to": now, "id": number}
    job = IntegrationJob(kind=RENAME_ISSUES, app=App.GITHUB, organization=organization, data=data)
    issue_settings.rename(organization, before, now, number, lambda transaction: jobs.put(transaction, job))


def rename_issues(organization: str, data: Mapping[str, Any], until: int) -> str:
    """Rename issues until an instant (ms); the rest is queued again."""
    before = data["from"]
    now = issue_settings.newest_name(organization, data["to"], data["id"])  # jobs keep no order
    if before.casefold() == now.casefold():
        return ISSUES_RENAMED
    while found := issue_store.numbers_of(organization, before, _ON_A_PAGE):
        for each in found:
            _rename(each, before, now)
            if clock.now_ms() >= until:
                begin_issues(organization, before, now, data["id"])
                return "handed_on"
    return ISSUES_RENAMED


def _rename(found: IssueNumber, before: str, now: str) -> None:
    organization, signal_id, number = found.organization, found.signal_id, int(found.number)

    def attempt() -> None:
        transaction = Transaction()
        issue = issues.find(organization, signal_id)
        if issue is None or not issue.is_that(before, number):
            transaction.delete(found.key)
            transaction.commit()
            return
        renamed = issue_store.add_rename(transaction, issue, now)
        try:
            signal = signals.survivor(organization, signal_id)
        except SignalNotFound:
            signal = None
        if signal is not None and signal.codehost is not None and signal.codehost.url == issue.url:
            hosted = replace(signal, codehost=CodehostLink(number, renamed.url))
            signals.add_change(transaction, signal, hosted, BY_NAME)
        transaction.commit()

    repeat_when_stale(attempt, StaleSignal, ConditionFailed)
