"""The rules of signals: read them, and change them with what follows (Specification: Signal; Signals, posts, tasks).

A signal is written on the condition that its version is the one that was read, in one transaction with its event.
"""

from copy import replace

from helpdesk.events import integration_jobs as integrations
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job
from helpdesk.platform import clock
from helpdesk.search import jobs as search
from helpdesk.signals import repository
from helpdesk.signals.errors import SignalMerged, SignalNotFound
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import Signal, StaleSignal
from helpdesk.signals.repository import SignalFilter, requests
from helpdesk.signals.shapes import SignalShape
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

__all__ = ["StaleSignal", "requests"]  # and everything below

_MAX_MERGES = 50


def get(organization: str, signal_id: str) -> Signal:
    """Return a signal. Raises SignalNotFound, for one that was merged SignalMerged, which names the other."""
    found = repository.signals.get(organization, signal_id)
    if found.merged_into is not None:
        raise SignalMerged(survivor(organization, found.merged_into).id)
    return found


def by_ids(organization: str, signal_ids: list[str]) -> dict[str, Signal]:
    """Return signals by id, without those that were merged or do not exist. One call per hundred."""
    found = repository.signals.by_ids(organization, ids=signal_ids, consistent=False)
    return {key: each for key, each in found.items() if each.merged_into is None}


def survivor(organization: str, signal_id: str) -> Signal:
    """Return a signal, or the one that it was merged into. One read for each merge. Raises SignalNotFound."""
    for _ in range(_MAX_MERGES):
        found = repository.signals.get(organization, signal_id)
        if found.merged_into is None:
            return found
        signal_id = found.merged_into
    raise SignalNotFound


def found_stale(organization: str, signal_id: str, stale: StaleSignal) -> Signal:
    """Return the signal that a failed condition found, which saves the read. Raises SignalNotFound."""
    found = None if stale.item is None else Signal.from_item(stale.item)
    return found if found is not None and found.merged_into is None else get(organization, signal_id)


def require(
    transaction: Transaction, organization: str, signal_id: str, *, status: SignalStatus | None = None
) -> None:
    """Require in a transaction that a signal exists and is not merged; with `status` that it has this status.

    The transaction raises SignalNotFound, or StaleSignal for another status.
    """

    def failure(item: Item | None) -> Exception:
        if item is None:
            return SignalNotFound()
        merged_into = Signal.from_item(item).merged_into
        if merged_into is not None:
            return SignalMerged(survivor(organization, merged_into).id)
        return StaleSignal(item)

    transaction.require(
        Signal.key_for(organization, signal_id),
        {"merged_into": None} | ({} if status is None else {"status": status}),
        on_failure=failure,
    )


def ids_before(organization: str, before: str | None, limit: int) -> tuple[list[str], str | None]:
    """Return the ids of signals older than the id `before`, newest first, and the id to continue from. One query."""
    found, end = repository.newest(organization, SignalFilter(), limit, before)
    return [signal.id for signal in found], end


def add_change(
    transaction: Transaction,
    seen: Signal,
    becomes: Signal,
    actor: ActorName | None,
    *,
    notify: bool = True,
    event: bool = True,
    jobs: tuple[Job, ...] = (),
) -> Signal:
    """Add a change of a signal to a transaction, with signal.updated and the jobs that follow; return what it is then.

    With `notify` a change to done lets its reporters be notified. Without `event`, as for a change of the card alone,
    nothing else follows. The transaction raises StaleSignal if the signal has changed since it was read.
    """
    if becomes.status is not seen.status:
        becomes = replace(becomes, quiet=becomes.status is SignalStatus.DONE and not notify)
    becomes = replace(becomes, updated_at=clock.now_ms(), updated_by_name=actor)
    now = transaction.save(seen, becomes, on_failure=StaleSignal)
    follows = (*jobs, *_following(seen, now, notify=notify))
    if event:
        add_event(transaction, now, WebhookEvent.SIGNAL_UPDATED, follows)
    return now


def _following(seen: Signal, now: Signal, *, notify: bool) -> list[Job]:
    """Return the jobs that follow from a change."""
    jobs: list[Job] = []
    if (seen.titles, seen.body) != (now.titles, now.body):
        jobs.append(indexed(now))
    if seen.title != now.title:
        jobs.append(vectored(now))
    if seen.status is not now.status:
        notify = notify and now.status is SignalStatus.DONE
        job = SignalJob(kind=JobKind.STATUS, organization=now.organization, signal_id=now.id, notify=notify)
        jobs.append(job.to_job())
        jobs.append(integrations.signal_job(now.organization, now.id, filed=False))
    return jobs


def indexed(signal: Signal) -> Job:
    """Return the job that indexes a signal's titles and text for the search."""
    return search.signal(signal.organization, signal.id)


def vectored(signal: Signal) -> Job:
    """Return the job that makes the vector of a signal's title."""
    return SignalJob(kind=JobKind.TITLE, organization=signal.organization, signal_id=signal.id).to_job()


def add_event(transaction: Transaction, signal: Signal, kind: WebhookEvent, jobs: tuple[Job, ...]) -> None:
    """Add an event about a signal to its transaction, with the jobs that follow."""
    data = {"signal": SignalShape.from_record(signal).model_dump(mode="json", by_alias=True)}
    event = Event.new(signal.organization, kind, data, signal.updated_at, jobs)
    event.add_to(transaction)
