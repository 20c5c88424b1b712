"""Where issues of signals are opened (Specification: POST /integrations/issue-repo)."""

from collections.abc import Callable
from copy import replace

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.app_settings import AppSettings
from helpdesk.integrations.errors import IssueNotFound, IssueRepoMissing
from helpdesk.integrations.github import account_lookup, issue_store
from helpdesk.integrations.github.issue_store import IssueSettings
from helpdesk.integrations.github.mirrors import require_repo
from helpdesk.integrations.github.schemas import IssueLinkAnswer, IssueRepoAnswer, IssueRepoInput
from helpdesk.integrations.record import ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.shapes import CodehostIssue
from helpdesk.storage.transactions import Transaction

CHECK = "check_issue_repo"
"""The kind of the job that asks GitHub whether issues can be opened in the repository that was set."""


SETTINGS = AppSettings(App.GITHUB, IssueSettings)


def repo_of(organization: str) -> IssueRepoAnswer:
    """Return where issues are opened, whether automatically, and why none is. Two calls, or one if nothing is set."""
    found = SETTINGS.get(organization)
    if found.repo is None:
        return IssueRepoAnswer(repo=None, auto_create=found.auto_create, problem=None)
    problem, connection = found.problem, account_lookup.owner_of(organization, found.repo)
    if connection is None:
        problem = f"No connected GitHub account owns {found.repo}. Ask an admin to connect it."
    elif connection.status is ConnectionStatus.BROKEN:
        problem = connection.problem
    return IssueRepoAnswer(repo=found.repo, auto_create=found.auto_create, problem=problem)


def note_check(organization: str, repo: str, number: int, at: int) -> None:
    """Record until when changes of a repository's issues were checked (ms), and the repository's id."""

    def checked(seen: IssueSettings) -> IssueSettings:
        return replace(seen, looked_at=at, repo_id=number) if seen.repo == repo else seen

    SETTINGS.change(organization, checked)


def set_problem(organization: str, repo: str, problem: str | None) -> None:
    """Record what GitHub said where it did not open an issue in a repository, or None: it did."""
    SETTINGS.set_problem(organization, problem, applies=lambda seen: seen.repo == repo)


def newest_name(organization: str, name: str, number: int | None) -> str:
    """Return what the repository with an id is called by now, if it is that of issues; else the name."""
    found = SETTINGS.get(organization)
    return found.repo or name if number is not None and found.repo_id == number else name


def rename(
    organization: str,
    before: str,
    now: str,
    number: int | None,
    extra_writes: Callable[[Transaction], None],
) -> None:
    """Give the repository of issues its new name if it is that with an id, with extra writes for its issues."""

    def renamed(seen: IssueSettings) -> IssueSettings:
        has_name = (seen.repo or "").casefold() == before.casefold()
        if has_name and is_that(seen.repo_id, number):
            return replace(seen, repo=now, repo_id=number or seen.repo_id)
        return seen

    def rename_issues(transaction: Transaction, seen: IssueSettings, _after: IssueSettings) -> None:
        if is_that(seen.repo_id, number):
            extra_writes(transaction)

    SETTINGS.change(organization, renamed, rename_issues)


def is_that(known: int | None, number: int | None) -> bool:
    """Return whether an id may be that of a repository: one of both may not be known."""
    return known is None or number is None or known == number


def set_repo(organization: str, wanted: IssueRepoInput, actor: str) -> str | None:
    """Set the repository of issues, the switch, or both; return the repository. Whether it takes issues, a job asks.

    Raises RepoNameInvalid, GitHubNotConnected, IssueRepoMissing.
    """
    repo = None if wanted.repo is None else require_repo(wanted.repo)
    if repo is not None:
        account_lookup.require_owner(organization, repo)

    def decide(seen: IssueSettings) -> IssueSettings:
        now = repo or seen.repo
        if now is None:
            raise IssueRepoMissing
        switch = seen.auto_create if wanted.auto_create is None else wanted.auto_create
        # Changes before this don't matter; all later ones do, whenever the first check comes.
        known = seen
        if seen.repo != now:
            known = replace(seen.cleared(), repo=now, looked_at=clock.now_ms())
        # Naming the repository clears the problem; GitHub reports it again if it is still there.
        return replace(known, auto_create=switch, problem=known.problem if repo is None else None)

    def extra_writes(transaction: Transaction, _before: IssueSettings, after: IssueSettings) -> None:
        connection = account_lookup.owner_of(organization, after.repo or "")
        if connection is not None:
            changes = [] if repo is None else [f"the issue repository {repo}"]
            if wanted.auto_create is not None:
                changes.append(f"autoCreate {'on' if wanted.auto_create else 'off'}")
            integrations.add_changed(transaction, connection, actor, changes)
        if repo is not None:
            jobs.put(transaction, IntegrationJob(kind=CHECK, app=App.GITHUB, organization=organization))

    return SETTINGS.change(organization, decide, extra_writes).repo


LINK = "link_issue"
"""The kind of the job that links an existing issue."""


def ask_for_link(organization: str, signal_id: str, number: int) -> IssueLinkAnswer:
    """Ask for an issue of the repository of issues to be a signal's; return its link if it is that already.

    Raises SignalNotFound, IssueRepoMissing, GitHubNotConnected, IssueNotFound, InvalidRequest.
    """
    signal = signals.get(organization, signal_id)
    repo = SETTINGS.get(organization).repo
    if repo is None:
        raise IssueRepoMissing
    account_lookup.require_owner(organization, repo)
    others = issue_store.signal_of(organization, repo, number)
    if signal.codehost is not None and others == signal_id and signal.codehost.number == number:
        return IssueLinkAnswer(codehost=CodehostIssue(number=number, url=signal.codehost.url))
    if others is not None and others != signal_id and _is_of(organization, others, number):
        raise InvalidRequest(f"Issue {number} belongs to the signal {others}. Merge the signals instead.")
    problem = issue_store.link_problem(organization, signal_id, number)
    transaction = Transaction()
    data = {"signalId": signal_id, "repo": repo, "number": number}
    jobs.put(transaction, IntegrationJob(kind=LINK, app=App.GITHUB, organization=organization, data=data))
    transaction.commit()
    if problem is not None:
        raise IssueNotFound(f"{problem} GitHub is being asked again.")
    return IssueLinkAnswer(codehost=None)


def _is_of(organization: str, signal_id: str, number: int) -> bool:
    """Return whether an issue still belongs to a signal."""
    try:
        found = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return False
    return found.codehost is not None and found.codehost.number == number
