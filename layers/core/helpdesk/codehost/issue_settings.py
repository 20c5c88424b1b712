"""Where issues of signals are opened (Specification: POST /integrations/issue-repo)."""

from collections.abc import Callable
from copy import replace

from helpdesk.codehost import account_lookup
from helpdesk.codehost.errors import IssueRepoMissing
from helpdesk.codehost.issue_record import IssueSettings
from helpdesk.codehost.mirrors import require_repo
from helpdesk.codehost.schemas import IssueRepoAnswer, IssueRepoInput
from helpdesk.integrations import jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import ConnectionStatus
from helpdesk.platform import clock
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

CHECK = "check_issue_repo"
"""The kind of the job that asks GitHub whether issues can be opened in the repository that was set."""


def settings(organization: str) -> IssueSettings:
    """Return what is set for issues. One call."""
    return IssueSettings.from_item(integrations.settings(organization, App.CODEHOST))


def repo_of(organization: str) -> IssueRepoAnswer:
    """Return where issues are opened, whether by themselves, and why none is. Two calls, or one if nothing is set."""
    found = settings(organization)
    if found.repo is None:
        return IssueRepoAnswer(repo=None, auto_create=found.auto_create, problem=None)
    problem, connection = found.problem, account_lookup.owner_of(organization, found.repo)
    if connection is None:
        problem = f"No connected GitHub account owns {found.repo}. An admin connects it."
    elif connection.status is ConnectionStatus.BROKEN:
        problem = connection.problem
    return IssueRepoAnswer(repo=found.repo, auto_create=found.auto_create, problem=problem)


def note_look(organization: str, repo: str, number: int, at: int) -> None:
    """Note until when changes of a repository's issues were looked at (ms), and the repository's id."""

    def looked(seen: IssueSettings) -> IssueSettings:
        return replace(seen, looked_at=at, repo_id=number) if seen.repo == repo else seen

    _change(organization, looked)


def note_problem(organization: str, repo: str, problem: str | None) -> None:
    """Note what GitHub said where it did not open an issue in a repository, or None: it did. Writes what is new."""

    def noted(seen: IssueSettings) -> IssueSettings:
        return replace(seen, problem=problem) if seen.repo == repo else seen

    if settings(organization).problem != problem:
        _change(organization, noted)


def newest_name(organization: str, name: str, number: int | None) -> str:
    """Return what the repository with an id is called by now, if it is that of issues; else the name."""
    found = settings(organization)
    return found.repo or name if number is not None and found.repo_id == number else name


def renamed(
    organization: str, before: str, now: str, number: int | None, also: Callable[[Transaction], None]
) -> None:
    """Give the repository of issues its new name if it is that with an id, and add what follows for its issues."""
    mine: list[bool] = []

    def changed(seen: IssueSettings) -> IssueSettings:
        has_name = (seen.repo or "").casefold() == before.casefold()
        mine.append(is_that(seen.repo_id, number))
        return replace(seen, repo=now, repo_id=number or seen.repo_id) if has_name and mine[-1] else seen

    def add(transaction: Transaction) -> None:
        if mine[-1]:
            also(transaction)

    _change(organization, changed, add)


def is_that(known: int | None, number: int | None) -> bool:
    """Return whether an id may be that of a repository: one of both may not be known."""
    return known is None or number is None or known == number


def set_repo(organization: str, wanted: IssueRepoInput, actor: str) -> str | None:
    """Set the repository of issues, the switch, or both; return the repository. Whether it takes issues, a job asks.

    Raises RepoNameInvalid, CodehostNotConnected, IssueRepoMissing.
    """
    repo = None if wanted.repo is None else require_repo(wanted.repo)
    if repo is not None:
        account_lookup.require_owner(organization, repo)
    chosen: list[str | None] = []

    def changed(seen: IssueSettings) -> IssueSettings:
        now = repo or seen.repo
        if now is None:
            raise IssueRepoMissing
        chosen.append(now)
        switch = seen.auto_create if wanted.auto_create is None else wanted.auto_create
        # what changed before does not matter, and everything since does, whenever the first look comes
        known = seen if seen.repo == now else IssueSettings(repo=now, looked_at=clock.now_ms())
        # who names the repository has mended it, or GitHub says so again
        return replace(known, auto_create=switch, problem=known.problem if repo is None else None)

    def log(transaction: Transaction) -> None:
        connection = account_lookup.owner_of(organization, chosen[-1] or "")
        if connection is not None:
            said = [] if repo is None else [f"the issue repository {repo}"]
            if wanted.auto_create is not None:
                said.append(f"autoCreate {'on' if wanted.auto_create else 'off'}")
            integrations.add_changed(transaction, connection, actor, said)
        if repo is not None:
            jobs.put(transaction, IntegrationJob(kind=CHECK, app=App.CODEHOST, organization=organization))

    _change(organization, changed, log)
    return chosen[-1]


def _change(
    organization: str,
    next_settings: Callable[[IssueSettings], IssueSettings],
    also: Callable[[Transaction], None] = lambda _: None,
) -> None:
    def changed(item: Item) -> Item:
        return next_settings(IssueSettings.from_item(item)).to_item()

    integrations.change_settings(organization, App.CODEHOST, changed, also)
