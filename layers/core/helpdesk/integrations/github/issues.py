"""Issues of signals: opened once, and given to the signal that stays after a merge (Specification: Signal).

Opening an issue twice cannot be undone, and GitHub takes no id that would make it harmless. So an opening is claimed by
a conditional write, the issue's text has the signal's id, and a worker that finds an opening without an end looks for
that id before it opens one.
"""

from copy import replace
from datetime import UTC, datetime

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.outbox import job_item
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceReply, ServiceRequest
from helpdesk.integrations.errors import OutcomeUnknown, Revoked, TryLater
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github import (
    app_identity,
    issue_settings,
    issue_store,
    renaming,
    status_sync,
)
from helpdesk.integrations.github.api import NotThere, Renamed
from helpdesk.integrations.github.app_identity import API
from helpdesk.integrations.github.issue_store import BY_NAME, SignalIssue, StaleIssue
from helpdesk.integrations.github.issue_store import issues as stored
from helpdesk.platform import clock
from helpdesk.signals import issue_text
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import CodehostLink, Signal, StaleSignal
from helpdesk.storage import table
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_PAGES = 5
_ON_A_PAGE = 100
MOST_AWAITED = 100
"""Issues that are opened with one look."""
OPENED, REFUSED = "opened", "refused"
_INVALID = 422
_SAID_CHARACTERS = 300
_ADVICE = {
    403: "Let the App write issues there, or unarchive the repository.",
    404: "The repository does not exist, or the App may not read it. Let its owner give access.",
    410: "Issues are switched off there. Switch them on, or set another issue repository.",
}
_CLOSED = {SignalStatus.DONE, SignalStatus.DECLINED}


class Refused(Exception):
    """GitHub does not open an issue; the text is for an admin. `of_all` says that it is not about this one alone."""

    def __init__(self, problem: str, *, of_all: bool) -> None:
        super().__init__(problem)
        self.of_all = of_all


def follow(organization: str, signal_id: str, *, filed: bool) -> str:
    """Open the issue of a signal that was filed, or bring an issue in line with its signal.

    An opening that is put off is awaited: its job is given up some day. Raises TryLater, Revoked, NotConnectedNow.
    """
    try:
        return repeat_when_stale(
            lambda: _follow(organization, signal_id, filed=filed), StaleIssue, StaleSignal
        )
    except TryLater:
        if filed:
            issue_store.put_awaited(organization, signal_id)
        raise


def _follow(organization: str, signal_id: str, *, filed: bool) -> str:
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return "gone"
    issue = issue_store.of_signal(signal)
    left = stored.find(organization, signal_id) if signal.id != signal_id else None
    if left is not None and left.number is None:
        return _end_opening(left, signal)
    if left is not None:  # of a signal that was merged into one with another issue
        transaction = Transaction()
        issue_store.add_removal(transaction, left)
        transaction.commit()
    if issue is None:
        return _open_first(signal) if filed and signal.id == signal_id else "no_issue"
    if issue.number is not None:
        if not status_sync.is_out_of_line(issue, signal):
            return "in_line"
        return status_sync.follow(app_identity.account_of(issue.organization, issue.repo), issue, signal)
    account = app_identity.account_of(issue.organization, issue.repo)
    if not issue_store.claim_again(issue):
        raise TryLater("another worker opens it")
    return _open(account, issue, signal, looked=False)


def _open_first(signal: Signal) -> str:
    chosen = issue_settings.SETTINGS.get(signal.organization)
    if chosen.repo is None or not chosen.auto_create:
        return "off"
    issue = SignalIssue(
        organization=signal.organization,
        signal_id=signal.id,
        repo=chosen.repo,
        closed=False,
        said=(SignalStatus.OPEN if signal.status in _CLOSED else signal.status).value,
        since=clock.now_ms(),
    )
    try:
        account = app_identity.account_of(issue.organization, issue.repo)
    except Revoked:
        issue_store.put_awaited(signal.organization, signal.id)
        raise
    if not issue_store.claim_first(issue):
        raise TryLater("another worker opens it")
    return _open(account, issue, signal, looked=True)


def _follow_again(transaction: Transaction, organization: str, signal_id: str) -> None:
    transaction.put(
        job_item(organization, jobs.signal_job(organization, signal_id, filed=False)),
        new=True,
    )


def _open(account: Account, issue: SignalIssue, signal: Signal, *, looked: bool) -> str:
    finds = not looked
    try:
        number = _find(account, issue) if finds else None
        if number is None:
            finds = False
            number = _send(account, issue, signal)
    except Refused as refusal:
        if finds:  # it may be open
            issue_store.release(issue)
        else:
            table.delete(issue.key)
        return _refused(issue, refusal)
    except Revoked:
        issue_store.release(issue)
        issue_store.put_awaited(issue.organization, issue.signal_id)
        raise
    except TryLater as later:
        if not isinstance(later, OutcomeUnknown):  # it did not reach GitHub, so the next try need not wait
            issue_store.release(issue)
        raise
    issue_settings.set_problem(signal.organization, issue.repo, None)
    return _record(issue, signal, number)


def _refused(issue: SignalIssue, refusal: Refused) -> str:
    if refusal.of_all:
        issue_store.put_awaited(issue.organization, issue.signal_id)
    issue_settings.set_problem(issue.organization, issue.repo, str(refusal))
    return REFUSED


def _record(issue: SignalIssue, signal: Signal, number: int) -> str:
    """Make an issue that was opened its signal's, or that of the signal that this one was merged into."""

    def attempt() -> str:
        nonlocal signal
        if signal.id != issue.signal_id and signal.codehost is not None:
            table.delete(issue.key)
            return "merged_before"
        transaction = Transaction()
        issue_store.add_opened(transaction, issue, number)
        link = CodehostLink(number, issue.__replace__(number=number).url)
        signals.add_change(transaction, signal, replace(signal, codehost=link), BY_NAME)
        if signal.id != issue.signal_id or signal.status in _CLOSED:
            _follow_again(transaction, signal.organization, signal.id)
        try:
            transaction.commit()
        except StaleSignal:
            signal = signals.survivor(issue.organization, issue.signal_id)
            raise
        except ConditionFailed:
            return "opened_before"
        return OPENED

    return repeat_when_stale(attempt, StaleSignal)


def open_awaited(organization: str) -> int:
    """Open issues that GitHub did not let us open before; return how many it let. Raises TryLater, Revoked.

    Where GitHub refuses one, the others wait for the next look.
    """
    count = 0
    for signal_id in issue_store.awaited_signals(organization, MOST_AWAITED):
        done = follow(organization, signal_id, filed=True)
        if done == REFUSED:
            break
        issue_store.forget_awaited(organization, signal_id)
        count += done == OPENED
    return count


def _end_opening(issue: SignalIssue, signal: Signal) -> str:
    """Give an issue that was being opened when its signal was merged to the other one, if that has none."""
    account = app_identity.account_of(issue.organization, issue.repo)
    if not issue_store.claim_again(issue):
        raise TryLater("another worker opens it")
    try:
        number = None if signal.codehost is not None else _find(account, issue)
    except Refused:
        number = None
    if number is not None:
        return _record(issue, signal, number)
    table.delete(issue.key)
    return "merged_before"


def _send(account: Account, issue: SignalIssue, signal: Signal) -> int:
    """Open an issue and return its number. Raises Refused, OutcomeUnknown, TryLater, Revoked."""
    wanted = ServiceRequest(
        method="POST",
        url=f"{API}/repos/{issue.repo}/issues",
        json={"title": signal.title, "body": issue_text.of(signal)},
    )
    reply = github.ask(account, wanted)
    try:
        github.require_same_name(reply, issue.repo)
    except Renamed as renamed:
        table.delete(issue.key)
        try:
            number = issue_settings.SETTINGS.get(issue.organization).repo_id or renamed.number
            now = renaming.name_of(issue.organization, number)
        except NotThere as gone:
            raise Refused(str(gone), of_all=True) from None
        renaming.follow(issue.organization, issue.repo, now, number)
        raise TryLater("the repository was renamed", 1.0) from None
    if not reply.ok:
        raise _refusal(reply, issue.repo)
    return int(reply.json()["number"])


def _refusal(reply: ServiceReply, repo: str) -> "Refused":
    advice = _ADVICE.get(reply.status)
    if advice is None:
        said = str(reply.json().get("message", ""))[:_SAID_CHARACTERS]
        return Refused(f"GitHub refused an issue in {repo}: {said}", of_all=reply.status != _INVALID)
    return Refused(f"GitHub opens no issue in {repo}. {advice}", of_all=True)


def _find(account: Account, issue: SignalIssue) -> int | None:
    """Return the number of the issue that an earlier try opened, by the signal's id in its text, or None.

    Raises Refused where GitHub does not say.
    """
    since = datetime.fromtimestamp(issue.since / 1_000 - 60, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for page in range(1, _PAGES + 1):
        query = f"state=all&sort=created&direction=desc&since={since}&per_page={_ON_A_PAGE}&page={page}"
        url = f"{API}/repos/{issue.repo}/issues?{query}"
        reply = github.ask(account, ServiceRequest(url=url, max_bytes=github.MAX_ISSUES_BYTES))
        if not reply.ok:
            raise _refusal(reply, issue.repo)
        found = reply.json()
        for each in found:
            is_pull = "pull_request" in each  # GitHub lists them, too, and one may quote the issue
            if not is_pull and issue_text.mark(issue.signal_id) in (each.get("body") or ""):
                return int(each["number"])
        if len(found) < _ON_A_PAGE:
            return None
    return None
