"""Filing, reporting and editing signals (Specification: Signal; Signals, posts, tasks).

A title is unique among the titles and aliases of an organization by an item of its own. Callers name who acts, so the
agent files signals as a route does.
"""

from collections.abc import Callable
from copy import replace
from typing import NamedTuple

from helpdesk.events import integration_jobs as integrations
from helpdesk.events.kinds import WebhookEvent
from helpdesk.platform import clock, ids
from helpdesk.signals import reporting, repository, service, titles
from helpdesk.signals.errors import MAX_BODY_CHARACTERS, SignalEmpty, SignalExists, TitleRequired
from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus
from helpdesk.signals.record import ChangedSince, Signal, StaleSignal
from helpdesk.signals.repository import FiledBefore, StaleReporter, TitleTaken
from helpdesk.signals.schemas import ReportInput, SignalInput, SignalUpdate
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

_CREATED = {
    SignalKind.BUG: WebhookEvent.BUG_CREATED,
    SignalKind.SUGGESTION: WebhookEvent.SUGGESTION_CREATED,
}

type Follow = Callable[[Transaction, Signal, SignalStatus], str | None]
"""Adds to a signal's transaction what its new status changes elsewhere; returns the id of the card it has then."""


class ByAgent(NamedTuple):
    """What the agent files a signal with.

    It is filed once under `signal_id`: a repeat returns what is there, or what that was merged into. The title is not
    the team's. `limit` adds to the transaction what limits the agent.
    """

    signal_id: str
    limit: Callable[[Transaction], None]


def file(
    organization: str, actor: ActorName | None, sent: SignalInput, by_agent: ByAgent | None = None
) -> Signal:
    """File a signal, with its first reporter if the body names one. Sends bug.created or suggestion.created.

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
        id=ids.new("signal") if by_agent is None else by_agent.signal_id,
        kind=sent.kind,
        title=title,
        body=body,
        priority=sent.priority or Priority.MEDIUM,
        reporter_count=0 if first is None else 1,
        filed_at=now,
        updated_at=now,
        moved_at=now,
        updated_by_name=actor,
        titled_by_team=by_agent is None,
    )

    def attempt() -> Signal:
        transaction = Transaction()
        transaction.put(signal, new=True, on_failure=FiledBefore)
        repository.claim_title(transaction, organization, title, signal.id)
        if first is not None:
            first.write_to(transaction, signal.id, title)
        outside = integrations.signal_job(organization, signal.id, filed=True)
        service.add_event(
            transaction,
            signal,
            _CREATED[signal.kind],
            (service.indexed(signal), service.vectored(signal), outside),
        )
        if by_agent is not None:
            by_agent.limit(transaction)
        try:
            transaction.commit()
        except FiledBefore:
            return service.survivor(organization, signal.id)
        except TitleTaken as taken:
            _refuse_title(organization, taken)
            raise
        return signal

    return repeat_when_stale(attempt, TitleTaken)


def report(organization: str, actor: ActorName | None, signal_id: str, sent: ReportInput) -> Signal:
    """Add a reporter to a signal, or a conversation to one of its reporters. Sends signal.updated.

    A report that says nothing new changes nothing. Raises SignalNotFound, InvalidRequest, ConversationNotFound,
    CustomerNotFound, AttachmentMissing, AttachmentWrongType.
    """
    signal = service.get(organization, signal_id)
    new = reporting.required(organization, sent)
    seen = repository.reporters.find(organization, signal_id, new.reporter.id)

    def attempt() -> Signal:
        nonlocal signal, seen
        transaction = Transaction()
        if not new.write_to(transaction, signal_id, signal.title, seen, done_at=signal.done_at):
            return signal
        becomes = replace(signal, reporter_count=signal.reporter_count + (0 if seen else 1))
        now = service.add_change(transaction, signal, becomes, actor)
        try:
            transaction.commit()
        except StaleReporter:
            seen = repository.reporters.find(organization, signal_id, new.reporter.id)
            raise
        except StaleSignal as stale:
            signal = service.found_stale(organization, signal_id, stale)
            raise
        return now

    return repeat_when_stale(attempt, StaleSignal, StaleReporter)


def update(
    organization: str,
    actor: ActorName | None,
    signal_id: str,
    sent: SignalUpdate,
    follow: Follow | None = None,
    *,
    version: int | None = None,
) -> Signal:
    """Change the fields of a signal that were sent. Sends signal.updated, unless nothing changes.

    `follow` is called with a new status of a signal that has a card, and moves the card in the same transaction. With
    `version` the signal has to be as it was read by the caller. Raises SignalNotFound, TitleRequired, SignalExists,
    InvalidRequest, ChangedSince.
    """
    title = None if sent.title is None else titles.stored(sent.title)
    if title == "":
        raise TitleRequired
    body = None if sent.body is None else titles.text("body", sent.body, MAX_BODY_CHARACTERS)

    def attempt() -> Signal:
        seen = service.get(organization, signal_id)
        if version is not None and seen.version != version:
            raise ChangedSince
        transaction = Transaction()
        becomes = replace(
            seen.with_status(sent.status or seen.status),
            kind=sent.kind or seen.kind,
            title=title or seen.title,
            titled_by_team=seen.titled_by_team or title is not None,
            body=seen.body if body is None else body,
            priority=sent.priority or seen.priority,
            aliases=_retitle(transaction, seen, title),
        )
        if becomes == seen:
            return seen
        if becomes.status is not seen.status and seen.task_id is not None and follow is not None:
            becomes = replace(becomes, task_id=follow(transaction, seen, becomes.status))
        now = service.add_change(transaction, seen, becomes, actor, notify=sent.notify is not False)
        try:
            transaction.commit()
        except TitleTaken as taken:
            _refuse_title(organization, taken, signal_id)
            raise
        return now

    return repeat_when_stale(attempt, StaleSignal, TitleTaken)


def _retitle(transaction: Transaction, seen: Signal, title: str | None) -> tuple[str, ...]:
    """Give a signal another title and release the former one; return its aliases then. Raises SignalExists."""
    if title is None or titles.folded(title) == titles.folded(seen.title):
        return seen.aliases
    owners = repository.owners(seen.organization, (title, seen.title))
    owner = owners.get(titles.key_of(title))
    if owner is None:
        repository.claim_title(transaction, seen.organization, title, seen.id)
    elif owner != seen.id:
        has_it = service.survivor(seen.organization, owner)
        if has_it.id != seen.id:
            raise _exists(has_it)
        repository.pass_title(transaction, seen.organization, title, owner, seen.id)
    former = owners.get(titles.key_of(seen.title))
    if former is not None:
        repository.release_title(transaction, seen.organization, seen.title, former)
    return tuple(each for each in seen.aliases if titles.folded(each) != titles.folded(title))


def _refuse_title(organization: str, taken: TitleTaken, own: str | None = None) -> None:
    """Raise SignalExists if another signal has the title. If it was released at this moment, nothing is raised."""
    if taken.owner is None:
        return
    found = service.survivor(organization, taken.owner)
    if found.id != own:
        raise _exists(found) from taken


def _exists(signal: Signal) -> SignalExists:
    return SignalExists(
        f"The {signal.kind.value} {signal.id} (“{signal.title}”) has this title or alias. Add a report to it with "
        f"POST /v1/signals/{signal.id}/reports, or choose another title."
    )
