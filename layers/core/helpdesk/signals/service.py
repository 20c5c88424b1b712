"""The rules of signals: file, report and change them (Specification: Signal; Signals, posts, tasks).

A signal is written on the condition that its version is the one that was read, in one transaction with its event. A
title is unique among the titles and aliases of an organization by an item of its own. Callers name who acts, so the
agent files signals as a route does.
"""

from collections.abc import Callable
from copy import replace
from typing import Any, Final

from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job
from helpdesk.integrations import jobs as integrations
from helpdesk.platform import clock, ids
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.search import jobs as search
from helpdesk.signals import reporting, repository, titles
from helpdesk.signals.errors import (
    MAX_BODY_CHARACTERS,
    SignalEmpty,
    SignalExists,
    SignalNotFound,
    TitleRequired,
)
from helpdesk.signals.filtering import SignalFilter
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.signals.record import CodehostLink, Signal, StaleSignal
from helpdesk.signals.rendering import event_data
from helpdesk.signals.repository import FiledBefore, StaleReporter, TitleTaken
from helpdesk.signals.schemas import (
    Priority,
    ReportInput,
    SignalInput,
    SignalKind,
    SignalStatus,
    SignalUpdate,
)
from helpdesk.storage.transactions import Conflict, Transaction

__all__ = ["StaleSignal"]  # and everything below

_TRIES = 12
_MAX_MERGES = 50
_CREATED = {
    SignalKind.BUG: WebhookEvent.BUG_CREATED,
    SignalKind.SUGGESTION: WebhookEvent.SUGGESTION_CREATED,
}


class _Keep:
    """Says that a value stays as it is, where None is a value."""


KEEP: Final = _Keep()

type Follow = Callable[[Transaction, Signal, SignalStatus], str | None]
"""Adds to a signal's transaction what its new status changes elsewhere; returns the id of the card it has then."""


def get(organization: str, signal_id: str) -> Signal:
    """Return a signal. Raises SignalNotFound, also for one that was merged into another."""
    return repository.get(organization, signal_id)


def by_ids(organization: str, signal_ids: list[str]) -> dict[str, Signal]:
    """Return signals by id, without those that were merged or do not exist. One call per hundred."""
    found = repository.get_many(organization, signal_ids)
    return {key: each for key, each in found.items() if each.merged_into is None}


def survivor(organization: str, signal_id: str) -> Signal:
    """Return a signal, or the one that it was merged into. One read for each merge. Raises SignalNotFound."""
    for _ in range(_MAX_MERGES):
        found = repository.find(organization, signal_id)
        if found is None:
            break
        if found.merged_into is None:
            return found
        signal_id = found.merged_into
    raise SignalNotFound


def require(
    transaction: Transaction, organization: str, signal_id: str, *, status: SignalStatus | None = None
) -> None:
    """Require in a transaction that a signal exists and is not merged; with `status` that it has this status.

    The transaction raises SignalNotFound, or StaleSignal for another status.
    """
    repository.require_status(transaction, organization, signal_id, status)


def ids_before(organization: str, before: str | None, limit: int) -> tuple[list[str], str | None]:
    """Return the ids of signals older than the id `before`, newest first, and the id to continue from. One query."""
    found, end = repository.newest(organization, SignalFilter(), limit, before)
    return [signal.id for signal in found], end


def requests(organization: str, limit: int, before: str | None) -> tuple[list[Signal], str | None]:
    """Return the open signals without a card, newest first, older than the id `before`; and the id to continue from.

    One query.
    """
    return repository.requests(organization, limit, before)


def file(
    organization: str, by_name: str | None, sent: SignalInput, *, signal_id: str | None = None
) -> Signal:
    """File a signal, with its first reporter if the body names one. Sends bug.created or suggestion.created.

    With `signal_id` it is filed once under that id: a repeat returns what is there, or what that was merged into.
    Raises SignalEmpty, TitleRequired, SignalExists, and what a report raises (`report`).
    """
    title = titles.stored(sent.title)
    body = titles.text("body", sent.body, MAX_BODY_CHARACTERS)
    if not title:
        raise TitleRequired if body else SignalEmpty
    first = reporting.checked(organization, sent)
    now = clock.now_ms()
    signal = Signal(
        organization=organization,
        id=signal_id or ids.new("signal"),
        kind=sent.kind,
        title=title,
        body=body,
        priority=sent.priority or Priority.MEDIUM,
        reporter_count=0 if first is None else 1,
        filed_at=now,
        updated_at=now,
        updated_by_name=by_name,
    )
    for _ in range(_TRIES):
        transaction = Transaction()
        repository.put(transaction, signal)
        repository.claim_title(transaction, organization, title, signal.id)
        if first is not None:
            first.write_to(transaction, signal.id)
        outside = integrations.signal_job(organization, signal.id, filed=True)
        _add_event(transaction, signal, _CREATED[signal.kind], (_indexed(signal), _vectored(signal), outside))
        try:
            transaction.commit()
        except FiledBefore:
            return survivor(organization, signal.id)
        except TitleTaken as taken:
            _refuse_title(organization, taken)
        else:
            return signal
    raise Conflict


def report(organization: str, by_name: str | None, signal_id: str, sent: ReportInput) -> Signal:
    """Add a reporter to a signal, or a conversation to one of its reporters. Sends signal.updated.

    A report that says nothing new changes nothing. Raises SignalNotFound, InvalidRequest, ConversationNotFound,
    CustomerNotFound, AttachmentMissing, AttachmentWrongType.
    """
    signal = repository.get(organization, signal_id)
    new = reporting.required(organization, sent)
    for _ in range(_TRIES):
        seen = repository.reporter(organization, signal_id, new.reporter.id)
        transaction = Transaction()
        if not new.write_to(transaction, signal_id, seen, done_at=signal.done_at):
            return signal
        now = add_change(transaction, signal, by_name, reporters=0 if seen else 1)
        try:
            transaction.commit()
        except (StaleSignal, StaleReporter):
            signal = repository.get(organization, signal_id)
        else:
            return now
    raise Conflict


def update(
    organization: str,
    by_name: str | None,
    signal_id: str,
    sent: SignalUpdate,
    follow: Follow | None = None,
) -> Signal:
    """Change the fields of a signal that were sent. Sends signal.updated, unless nothing changes.

    `follow` is called with a new status of a signal that has a card, and moves the card in the same transaction. Raises
    SignalNotFound, TitleRequired, SignalExists, InvalidRequest.
    """
    title = None if sent.title is None else titles.stored(sent.title)
    if title == "":
        raise TitleRequired
    body = None if sent.body is None else titles.text("body", sent.body, MAX_BODY_CHARACTERS)
    for _ in range(_TRIES):
        seen = repository.get(organization, signal_id)
        transaction = Transaction()
        aliases = _retitle(transaction, seen, title)
        details = Details(kind=sent.kind, title=title, body=body, priority=sent.priority, aliases=aliases)
        if changed(seen, status=sent.status, details=details) == seen:
            return seen
        task_id = seen.task_id
        if sent.status not in {None, seen.status} and task_id is not None and follow is not None:
            task_id = follow(transaction, seen, sent.status or seen.status)
        now = add_change(
            transaction,
            seen,
            by_name,
            status=sent.status,
            task_id=task_id,
            details=details,
            notify=sent.notify is not False,
        )
        try:
            transaction.commit()
        except StaleSignal:
            continue
        except TitleTaken as taken:
            _refuse_title(organization, taken, signal_id)
        else:
            return now
    raise Conflict


class Details(FrozenRecord, kw_only=True):
    """What else changes of a signal: None leaves a value as it is."""

    kind: SignalKind | None = None
    title: str | None = None
    body: str | None = None
    priority: Priority | None = None
    aliases: tuple[str, ...] | None = None
    codehost: CodehostLink | None = None

    def given(self) -> dict[str, Any]:
        """Return the values that change, by their names."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def changed(
    seen: Signal,
    *,
    status: SignalStatus | None = None,
    task_id: str | _Keep | None = KEEP,
    details: Details | None = None,
) -> Signal:
    """Return a signal with a change, as it is otherwise."""
    status = status or seen.status
    given = {} if details is None else details.given()
    return replace(
        seen,
        **given,
        status=status,
        task_id=seen.task_id if isinstance(task_id, _Keep) else task_id,
        done_at=(seen.done_at or clock.now_ms()) if status is SignalStatus.DONE else None,
    )


def add_change(
    transaction: Transaction,
    seen: Signal,
    by_name: str | None,
    *,
    status: SignalStatus | None = None,
    task_id: str | _Keep | None = KEEP,
    details: Details | None = None,
    reporters: int = 0,
    commits: int = 0,
    notify: bool = True,
    event: bool = True,
    jobs: tuple[Job, ...] = (),
) -> Signal:
    """Add a change of a signal to a transaction, with signal.updated and the jobs that follow; return what it is then.

    `task_id` is None for no card. `reporters` and `commits` are counted in addition. With `notify` a change to done
    lets its reporters be notified. Without `event`, as for a change of the card alone, nothing else follows. The
    transaction raises StaleSignal if the signal has changed since it was read.
    """
    becomes = changed(seen, status=status, task_id=task_id, details=details)
    if becomes.status is not seen.status:
        becomes = replace(becomes, quiet=becomes.status is SignalStatus.DONE and not notify)
    now = replace(
        becomes,
        reporter_count=seen.reporter_count + reporters,
        commit_count=seen.commit_count + commits,
        updated_at=clock.now_ms(),
        updated_by_name=by_name,
        version=seen.version + 1,
    )
    repository.save(transaction, seen, now)
    follows = (*jobs, *_following(seen, now, notify=notify))
    if event:
        _add_event(transaction, now, WebhookEvent.SIGNAL_UPDATED, follows)
    return now


def _following(seen: Signal, now: Signal, *, notify: bool) -> list[Job]:
    """Return the jobs that follow from a change."""
    jobs: list[Job] = []
    if (seen.titles, seen.body) != (now.titles, now.body):
        jobs.append(_indexed(now))
    if seen.title != now.title:
        jobs.append(_vectored(now))
    if seen.status is not now.status:
        notify = notify and now.status is SignalStatus.DONE
        job = SignalJob(kind=JobKind.STATUS, organization=now.organization, signal_id=now.id, notify=notify)
        jobs.append(job.to_job())
        jobs.append(integrations.signal_job(now.organization, now.id, filed=False))
    return jobs


def _indexed(signal: Signal) -> Job:
    return search.signal(signal.organization, signal.id)


def _vectored(signal: Signal) -> Job:
    return SignalJob(kind=JobKind.TITLE, organization=signal.organization, signal_id=signal.id).to_job()


def _add_event(transaction: Transaction, signal: Signal, kind: WebhookEvent, jobs: tuple[Job, ...]) -> None:
    event = Event(signal.organization, kind, event_data(signal), signal.updated_at, jobs)
    event.add_to(transaction)


def _retitle(transaction: Transaction, seen: Signal, title: str | None) -> tuple[str, ...]:
    """Give a signal another title and let go of the former one; return its aliases then. Raises SignalExists."""
    if title is None or titles.folded(title) == titles.folded(seen.title):
        return seen.aliases
    owners = repository.owners(seen.organization, (title, seen.title))
    owner = owners.get(titles.key_of(title))
    if owner is None:
        repository.claim_title(transaction, seen.organization, title, seen.id)
    elif owner != seen.id:
        has_it = survivor(seen.organization, owner)
        if has_it.id != seen.id:
            raise _exists(has_it)
        repository.pass_title(transaction, seen.organization, title, owner, seen.id)
    former = owners.get(titles.key_of(seen.title))
    if former is not None:
        repository.release_title(transaction, seen.organization, seen.title, former)
    return tuple(each for each in seen.aliases if titles.folded(each) != titles.folded(title))


def _refuse_title(organization: str, taken: TitleTaken, own: str | None = None) -> None:
    """Raise SignalExists if another signal has the title. If it was let go of at this moment, nothing is raised."""
    if taken.owner is None:
        return
    found = survivor(organization, taken.owner)
    if found.id != own:
        raise _exists(found) from taken


def _exists(signal: Signal) -> SignalExists:
    return SignalExists(
        f"The {signal.kind.value} {signal.id} (“{signal.title}”) has this title or alias. Add a report to it with "
        f"POST /v1/signals/{signal.id}/reports, or choose another title."
    )
