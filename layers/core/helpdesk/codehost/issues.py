"""Issues of signals: opened once, and given to the signal that stays after a merge (Specification: Signal).

Opening an issue twice cannot be undone, and GitHub takes no id that would make it harmless. So an opening is claimed by
a conditional write, the issue's text has the signal's id, and a worker that finds an opening without an end looks for
that id before it opens one.
"""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from helpdesk.codehost import account_lookup, github, issue_moves, issue_repository, issue_settings, renaming
from helpdesk.codehost.app_identity import API
from helpdesk.codehost.github import NotThere, Renamed
from helpdesk.codehost.issue_record import Issue
from helpdesk.codehost.issue_repository import StaleIssue
from helpdesk.events.outbox import job_item
from helpdesk.integrations import accounts, jobs
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.adapter import Worker
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.outcomes import NotConnectedNow, TryLater
from helpdesk.platform import clock
from helpdesk.signals import issue_text
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import CodehostLink, Signal, StaleSignal
from helpdesk.signals.service import Details
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Conflict, Transaction

BY_NAME = "GitHub"
_TRIES = 10
_PAGES = 5
_ON_A_PAGE = 100
_CLOSED = {SignalStatus.DONE, SignalStatus.DECLINED}


def follow(organization: str, signal_id: str, adapter: Worker, *, filed: bool) -> str:
    """Open the issue of a signal that was filed, or bring an issue in line with its signal.

    Raises TryLater, Revoked, NotConnectedNow.
    """
    return repeat_when_stale(lambda: _follow(organization, signal_id, adapter, filed=filed), StaleIssue)


def _follow(organization: str, signal_id: str, adapter: Worker, *, filed: bool) -> str:
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return "gone"
    issue = issue_of(signal)
    left = issue_repository.get(organization, signal_id) if signal.id != signal_id else None
    if left is not None and left.number is None:
        return _end_opening(left, signal, adapter)
    if left is not None:  # of a signal that was merged into one with another issue
        issue_repository.remove(left)
    if issue is None:
        return _open_first(signal, adapter) if filed and signal.id == signal_id else "no_issue"
    if issue.number is not None:
        if not issue_moves.is_out_of_line(issue, signal):
            return "in_line"
        return issue_moves.follow(account_of(issue, adapter), issue, signal)
    account = account_of(issue, adapter)
    if not issue_repository.claim_again(issue):
        raise TryLater("another worker opens it")
    return _open(account, issue, signal, looked=False)


def _open_first(signal: Signal, adapter: Worker) -> str:
    chosen = issue_settings.settings(signal.organization)
    if chosen.repo is None or not chosen.auto_create:
        return "off"
    issue = Issue(
        organization=signal.organization,
        signal_id=signal.id,
        repo=chosen.repo,
        number=None,
        closed=False,
        said=(SignalStatus.OPEN if signal.status in _CLOSED else signal.status).value,
        since=clock.now_ms(),
    )
    account = account_of(issue, adapter)
    if not issue_repository.claim_first(issue):
        raise TryLater("another worker opens it")
    return _open(account, issue, signal, looked=True)


def issue_of(signal: Signal) -> Issue | None:
    """Return the issue of a signal, or the claim on opening one. One that came with a merged signal becomes its own."""
    issue = issue_repository.get(signal.organization, signal.id)
    if issue is not None or signal.codehost is None:
        return issue
    repo = "/".join(urlsplit(signal.codehost.url).path.split("/")[1:3])
    before = issue_repository.signal_of(signal.organization, repo, signal.codehost.number)
    issue = None if before is None else issue_repository.get(signal.organization, before)
    return None if issue is None else issue_repository.passed_on(issue, signal.id)


def _follow_again(transaction: Transaction, organization: str, signal_id: str) -> None:
    transaction.put(
        job_item(organization, jobs.signal_job(organization, signal_id, filed=False)),
        new=True,
    )


def account_of(issue: Issue, adapter: Worker) -> Account:
    """Return the account that has the repository of an issue. Raises NotConnectedNow, TryLater, Revoked."""
    connection = account_lookup.owner_of(issue.organization, issue.repo)
    if connection is None:
        raise NotConnectedNow
    return accounts.opened(connection, adapter)


def _open(account: Account, issue: Issue, signal: Signal, *, looked: bool) -> str:
    number = None if looked else _find(account, issue)
    if number is None:
        try:
            number = _send(account, issue, signal)
        except TryLater as later:
            if type(later) is TryLater:  # it did not reach GitHub, so the next try need not wait
                issue_repository.release(issue)
            raise
    if number is None:
        issue_repository.forget(issue)
        return "refused"
    return _record(issue, signal, number)


def _record(issue: Issue, signal: Signal, number: int) -> str:
    """Make an issue that was opened its signal's, or that of the signal that this one was merged into."""
    for _ in range(_TRIES):
        if signal.id != issue.signal_id and signal.codehost is not None:
            issue_repository.forget(issue)
            return "merged_before"
        transaction = Transaction()
        issue_repository.opened(transaction, issue, number)
        link = CodehostLink(number, issue.__replace__(number=number).url)
        signals.add_change(transaction, signal, BY_NAME, details=Details(codehost=link))
        if signal.id != issue.signal_id or signal.status in _CLOSED:
            _follow_again(transaction, signal.organization, signal.id)
        try:
            transaction.commit()
        except StaleSignal:
            signal = signals.survivor(issue.organization, issue.signal_id)
            continue
        except ConditionFailed:
            return "opened_before"
        return "opened"
    raise Conflict


def _end_opening(issue: Issue, signal: Signal, adapter: Worker) -> str:
    """Give an issue that was being opened when its signal was merged to the other one, if that has none."""
    account = account_of(issue, adapter)
    if not issue_repository.claim_again(issue):
        raise TryLater("another worker opens it")
    number = None if signal.codehost is not None else _find(account, issue)
    if number is not None:
        return _record(issue, signal, number)
    issue_repository.forget(issue)
    return "merged_before"


def _send(account: Account, issue: Issue, signal: Signal) -> int | None:
    """Open an issue and return its number; None if GitHub refuses. Raises OutcomeUnknown, TryLater, Revoked."""
    wanted = ServiceRequest(
        method="POST",
        url=f"{API}/repos/{issue.repo}/issues",
        json={"title": signal.title, "body": issue_text.of(signal)},
    )
    reply = github.ask(account, wanted)
    try:
        github.require_same_name(reply, issue.repo)
    except Renamed as renamed:
        issue_repository.forget(issue)
        try:
            number = issue_settings.settings(issue.organization).repo_id or renamed.number
            now = renaming.name_of(issue.organization, number, account.adapter)
        except NotThere:
            return None
        renaming.follow(issue.organization, issue.repo, now, number)
        raise TryLater("the repository was renamed", 1.0) from None
    return int(reply.json()["number"]) if reply.ok else None


def _find(account: Account, issue: Issue) -> int | None:
    """Return the number of the issue that an earlier try opened, by the signal's id in its text, or None."""
    since = datetime.fromtimestamp(issue.since / 1_000 - 60, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for page in range(1, _PAGES + 1):
        query = f"state=all&sort=created&direction=desc&since={since}&per_page={_ON_A_PAGE}&page={page}"
        reply = github.ask(account, ServiceRequest(url=f"{API}/repos/{issue.repo}/issues?{query}"))
        if not reply.ok:
            return None
        found = reply.json()
        for each in found:
            if issue_text.mark(issue.signal_id) in (each.get("body") or ""):
                return int(each["number"])
        if len(found) < _ON_A_PAGE:
            return None
    return None
