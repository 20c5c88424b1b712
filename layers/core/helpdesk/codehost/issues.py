"""Issues of signals: opened once, and moved with their signal both ways (Specification: Signal).

Opening an issue twice cannot be undone, and GitHub takes no id that would make it harmless. So an opening is claimed by
a conditional write, the issue's text has the signal's id, and a worker that finds an opening without an end looks for
that id before it opens one.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from helpdesk.admission.caller import Caller, Person
from helpdesk.codehost import github, issue_repository, issue_settings, mirroring
from helpdesk.codehost.app_identity import API
from helpdesk.codehost.issue_repository import Issue
from helpdesk.events.outbox import job_item
from helpdesk.integrations import accounts, jobs
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.adapter import Worker
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.outcomes import NotConnectedNow, TryLater
from helpdesk.platform import clock
from helpdesk.progress import signal_moves
from helpdesk.signals import issue_text
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import CodehostLink, Signal, StaleSignal
from helpdesk.signals.schemas import SignalUpdate
from helpdesk.signals.service import Details
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Conflict, Transaction

BY_NAME = "GitHub"
_TRIES = 10
_PAGES = 5
_ON_A_PAGE = 100
_GONE = {404, 410}
_CLOSED = {SignalStatus.DONE: "completed", SignalStatus.DECLINED: "not_planned"}


def follow(organization: str, signal_id: str, adapter: Worker, *, filed: bool) -> str:
    """Open the issue of a signal that was filed, or bring an issue in line with its signal.

    Raises TryLater, Revoked, NotConnectedNow.
    """
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
    if issue is None and (not filed or signal.id != signal_id):
        return "no_issue"
    if issue is None:
        return _open_first(signal, adapter)
    account = account_of(issue, adapter)
    if issue.number is None:
        if not issue_repository.claim_again(issue):
            raise TryLater("another worker opens it")
        return _open(account, issue, signal, looked=False)
    return _bring_in_line(account, issue, signal)


def _open_first(signal: Signal, adapter: Worker) -> str:
    chosen = issue_settings.repo_of(signal.organization)
    if chosen.repo is None or not chosen.auto_create:
        return "off"
    issue = Issue(
        organization=signal.organization,
        signal_id=signal.id,
        repo=chosen.repo,
        number=None,
        closed=False,
        said=signal.status.value,
        said_at=0,
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


def is_closed(signal: Signal) -> bool:
    """Return whether the issue of a signal is closed while the signal is as it is."""
    return signal.status in _CLOSED


def take_change(organization: str, data: Mapping[str, Any], bot: str) -> str:
    """Move the signal of an issue that was closed or opened again at GitHub, unless a person moved the signal later."""
    signal_id = issue_repository.signal_of(organization, data["repo"], data["number"])
    if signal_id is None or data["sender"] == bot:
        return "nothing"
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return "gone"
    issue = issue_of(signal)
    if issue is None or not issue.is_that(data["repo"], data["number"]):
        return "not_linked"
    at = _ms(data["updatedAt"])
    closed = data["state"] == "closed"
    if at < issue.seen_at:
        return "late"
    if issue.said_at > at or (signal.status.value != issue.said and signal.updated_at > at):
        _follow_the_signal(issue, closed=closed, seen_at=at)
        return "moved_since"
    status = SignalStatus.OPEN
    if closed:
        declined = data["reason"] in {"not_planned", "duplicate"}
        status = SignalStatus.DECLINED if declined else SignalStatus.DONE
    if closed != (signal.status in _CLOSED):
        caller = Caller(organization=organization, person=Person(id="", name=BY_NAME, role=None))
        signal_moves.change_signal(caller, signal.id, SignalUpdate.model_validate({"status": status.value}))
    else:
        status = signal.status
    issue_repository.in_line(issue, closed=closed, said=status.value, said_at=0, seen_at=at)
    return status.value


def _follow_the_signal(issue: Issue, *, closed: bool, seen_at: int) -> None:
    """Note how an issue is at GitHub, and let it be brought in line with its signal, which was moved later."""
    issue_repository.in_line(issue, closed=closed, said=issue.said, said_at=issue.said_at, seen_at=seen_at)
    transaction = Transaction()
    _follow_again(transaction, issue.organization, issue.signal_id)
    transaction.commit()


def _follow_again(transaction: Transaction, organization: str, signal_id: str) -> None:
    transaction.put(
        job_item(organization, jobs.signal_job(organization, signal_id, filed=False)),
        new=True,
    )


def account_of(issue: Issue, adapter: Worker) -> Account:
    """Return the account that has the repository of an issue. Raises NotConnectedNow, TryLater, Revoked."""
    connection = mirroring.owner_of(issue.organization, issue.repo)
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
        if signal.id != issue.signal_id:
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


def _bring_in_line(account: Account, issue: Issue, signal: Signal) -> str:
    reason = _CLOSED.get(signal.status)
    if (reason is not None) == issue.closed:
        if issue.said != signal.status.value:
            issue_repository.in_line(
                issue, closed=issue.closed, said=signal.status.value, said_at=signal.updated_at, seen_at=0
            )
        return "in_line"
    change = {"state": "open"} if reason is None else {"state": "closed", "state_reason": reason}
    reply = github.ask(
        account,
        ServiceRequest(
            method="PATCH",
            url=f"{API}/repos/{issue.repo}/issues/{issue.number}",
            json=change,
            repeatable=True,
        ),
    )
    if reply.ok or reply.status in _GONE:
        issue_repository.in_line(
            issue,
            closed=reason is not None,
            said=signal.status.value,
            said_at=signal.updated_at,
            seen_at=_ms(reply.json()["updated_at"]) if reply.ok else 0,
        )
    return change["state"]


def _ms(at: str) -> int:
    """Return a time of GitHub, which has seconds, in ms."""
    return round(datetime.fromisoformat(at).astimezone(UTC).timestamp() * 1_000)
