"""Keeps the statuses of signals and their issues in line: after webhooks, changed signals, and every night.

All three compare the issue, the signal and what both were when they last agreed (`decide`). GitHub's times have
seconds, and its hooks come late: so the issue is read before either is moved, and a time counts only where both have
moved. Before either is moved, where to is noted: a worker that died leaves nothing that looks like a person's move.
"""

from collections.abc import Mapping
from copy import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from helpdesk.api.admission.caller import Caller, Person
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github import app_identity, issue_settings, issue_store
from helpdesk.integrations.github.api import NotThere
from helpdesk.integrations.github.app_identity import API
from helpdesk.integrations.github.issue_store import BY_NAME, SignalIssue, StaleIssue
from helpdesk.progress import signal_moves
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import ChangedSince, Signal, StaleSignal
from helpdesk.signals.schemas import SignalUpdate
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

_REASONS = {SignalStatus.DONE: "completed", SignalStatus.DECLINED: "not_planned"}
_DECLINED = {"not_planned", "duplicate"}
_DELETED = 410
_SECOND_MS = 1_000


class Found(NamedTuple):
    """An issue as GitHub shows it; `at` is the second (ms) in which it was closed, or changed last.

    `by_public` says that nobody of the team closed or opened it: GitHub lets its author do so, who may be anybody.
    """

    closed: bool
    reason: str | None
    at: int
    by_public: bool = False


class _NotRead(Exception):
    """GitHub does not show the issue now. The nightly look asks again."""


class Follow(StrEnum):
    """What follows where a signal and its issue are compared."""

    AGREE = "agree"
    TAKE = "take"
    """The signal becomes open, done or declined, as the issue says."""
    PUSH = "push"
    """The issue is closed or opened, as the signal says."""
    LEAVE = "leave"
    """They differ, and neither has moved: they were linked like that."""


def decide(issue: SignalIssue, status: SignalStatus, changed_at: int, found: Found) -> Follow:
    """Return who follows whom, for a signal whose status changed last at an instant (ms).

    If both have moved, the later move wins; in the same second that of the issue, whose time is rounded down. A move of
    the public is none.
    """
    if found.closed == (status in _REASONS):
        return Follow.AGREE
    followed = status.value == issue.taking  # so the issue is back where it was
    issue_moved = followed or (found.closed not in {issue.closed, issue.pushing} and not found.by_public)
    signal_moved = not followed and status.value != issue.said
    if issue_moved and (not signal_moved or found.at + _SECOND_MS > changed_at):
        return Follow.TAKE
    return Follow.PUSH if issue_moved or signal_moved or issue.pushing is not None else Follow.LEAVE


def handle_change(organization: str, data: Mapping[str, Any]) -> str:
    """Follow an issue that was closed or opened again. Raises TryLater, Revoked, NotConnectedNow."""
    said = Found(data["state"] == "closed", data["reason"], _ms(data["updatedAt"]))

    def attempt() -> str:
        known = _known(organization, data["repo"], data["number"])
        if known is None:
            return "nothing"
        issue, signal = known
        if said.closed == (issue.closed if issue.pushing is None else issue.pushing):
            return "known"
        account = app_identity.account_of(issue.organization, issue.repo)
        try:
            found = _read(account, issue, data["by"])
        except _NotRead:
            return "not_read"
        if found is None:
            return _unlink(issue, signal)
        if found.closed == said.closed and said.at < found.at:
            found = said._replace(by_public=found.by_public)  # a comment has come since
        return _bring_in_line(account, issue, signal, found)

    return repeat_when_stale(attempt, StaleIssue, StaleSignal)


def handle_removal(organization: str, data: Mapping[str, Any]) -> str:
    """Take an issue that was deleted, or transferred to another repository, away from its signal."""

    def attempt() -> str:
        known = _known(organization, data["repo"], data["number"])
        return "nothing" if known is None else _unlink(*known)

    return repeat_when_stale(attempt, StaleIssue, StaleSignal)


def _unlink(issue: SignalIssue, signal: Signal) -> str:
    transaction = Transaction()
    issue_store.add_removal(transaction, issue)
    if signal.codehost is not None and signal.codehost.url == issue.url:
        signals.add_change(transaction, signal, replace(signal, codehost=None), BY_NAME)
    transaction.commit()
    return "unlinked"


def check_row(organization: str, row: Mapping[str, Any], repo: str, account: Account) -> str:
    """Follow an issue of a list that the nightly look read. Raises TryLater, Revoked."""

    def attempt() -> str:
        known = _known(organization, repo, row["number"])
        if known is None:
            return "nothing"
        issue, signal = known
        # A list does not show who closed an issue.
        return "known" if _found(row).closed == issue.closed else _check(account, issue, signal)

    return repeat_when_stale(attempt, StaleIssue)


def follow(account: Account, issue: SignalIssue, signal: Signal) -> str:
    """Bring an issue in line with its signal. Raises StaleIssue, TryLater, Revoked."""
    if not is_out_of_line(issue, signal):
        return "in_line"
    return _check(account, issue, signal)


def _check(account: Account, issue: SignalIssue, signal: Signal) -> str:
    try:
        found = _read(account, issue)
    except _NotRead:
        return "not_read"
    if found is None:
        return _unlink(issue, signal)
    return _bring_in_line(account, issue, signal, found)


def is_out_of_line(issue: SignalIssue, signal: Signal) -> bool:
    """Return whether a signal was moved since its issue followed it, as far as is known."""
    return issue.said != signal.status.value or issue.pushing is not None


def _known(organization: str, repo: str, number: int) -> tuple[SignalIssue, Signal] | None:
    """Return an issue with its signal, or None if it is no signal's."""
    signal_id = issue_store.signal_of(organization, repo, number)
    if signal_id is None:
        return None
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return None
    issue = issue_store.of_signal(signal)
    return (issue, signal) if issue is not None and issue.is_that(repo, number) else None


def _bring_in_line(account: Account, issue: SignalIssue, signal: Signal, found: Found) -> str:
    match decide(issue, signal.status, signal.moved_at, found):
        case Follow.AGREE:
            return _note(issue, found.closed, signal.status, "in_line")
        case Follow.TAKE:
            status = SignalStatus.OPEN
            if found.closed:
                status = SignalStatus.DECLINED if found.reason in _DECLINED else SignalStatus.DONE
            noted = issue_store.save(issue, replace(issue, taking=status.value))
            _move_signal(signal, status)
            return _note(noted, found.closed, status, status.value)
        case Follow.PUSH:
            return _push(account, issue, signal)
        case Follow.LEAVE:
            return "left"


def _push(account: Account, issue: SignalIssue, signal: Signal) -> str:
    reason = _REASONS.get(signal.status)
    state = "open" if reason is None else "closed"
    noted = issue_store.save(issue, replace(issue, pushing=reason is not None))
    wanted = ServiceRequest(
        method="PATCH",
        url=_address(issue),
        json={"state": state} if reason is None else {"state": state, "state_reason": reason},
        repeatable=True,
    )
    reply = github.ask(account, wanted)
    if not reply.ok:
        issue_store.save(noted, replace(noted, pushing=None))
        return "refused"
    return _note(noted, reason is not None, signal.status, state)


def _note(issue: SignalIssue, closed: bool, status: SignalStatus, what: str) -> str:  # noqa: FBT001 - a state, not a switch
    """Note that an issue and its signal agree; return the outcome."""
    noted = replace(issue, closed=closed, said=status.value, pushing=None, taking=None)
    if noted != issue:
        issue_store.save(issue, noted)
    return what


def _move_signal(signal: Signal, status: SignalStatus) -> None:
    """Move a signal as it was read. Raises StaleIssue if it has changed since: then it is to be decided again."""
    caller = Caller(organization=signal.organization, person=Person(id="", name=BY_NAME, role=None))
    wanted = SignalUpdate.model_validate({"status": status.value})
    try:
        signal_moves.change_signal(caller, signal.id, wanted, version=signal.version)
    except (ChangedSince, SignalNotFound):
        raise StaleIssue from None


def _read(account: Account, issue: SignalIssue, opened_by: Mapping[str, Any] | None = None) -> Found | None:
    """Return an issue as it is, or None if it was deleted or transferred. Raises _NotRead, TryLater, Revoked.

    `opened_by` is who opened it again, which GitHub does not show.
    """
    reply = github.ask(account, ServiceRequest(url=_address(issue)))
    if reply.ok:
        shown = reply.json()
        found = _found(shown)
        if found.closed in {issue.closed, issue.pushing}:
            return found
        by = shown.get("closed_by") if found.closed else opened_by
        return found._replace(by_public=_is_by_public(account, issue.repo, shown, by))
    if reply.status != _DELETED and not _is_transferred(account, issue, github.leads_to(reply)):
        raise _NotRead
    return None


def _is_by_public(
    account: Account, repo: str, shown: Mapping[str, Any], by: Mapping[str, Any] | None
) -> bool:
    """Return whether nobody of the team closed or opened an issue. Only they can, and its author."""
    author = shown.get("user")
    if author is not None and by is not None and by["id"] != author["id"]:
        return False
    return not github.works_on(account, repo, author, str(shown.get("author_association")))


def _is_transferred(account: Account, issue: SignalIssue, number: int | None) -> bool:
    """Return whether an issue is in the repository with an id by now, and no longer in its own.

    A former name of its own may lead to another repository, too, that had the name later.
    """
    chosen = issue_settings.SETTINGS.get(issue.organization)
    known = chosen.repo_id if (chosen.repo or "").casefold() == issue.repo.casefold() else None
    if number is None or known is None or number == known:
        return False
    try:
        return github.id_of(account, issue.repo, known) == known
    except NotThere:
        return False


def _found(shown: Mapping[str, Any]) -> Found:
    closed = shown["state"] == "closed"
    # A later comment changes `updated_at`, too.
    at = (shown.get("closed_at") if closed else None) or shown["updated_at"]
    return Found(closed, shown.get("state_reason"), _ms(at))


def _address(issue: SignalIssue) -> str:
    return f"{API}/repos/{issue.repo}/issues/{issue.number}"


def _ms(at: str) -> int:
    """Return a time of GitHub, which has seconds, in ms."""
    return round(datetime.fromisoformat(at).astimezone(UTC).timestamp() * 1_000)
