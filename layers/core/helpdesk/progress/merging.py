"""Merging signals: the request makes the tombstone and moves what it can, and the worker moves the rest in slices.

(Specification: POST /signals/{id}/merge.)
"""

from contextlib import suppress

from helpdesk.board import following
from helpdesk.platform import clock, deadline
from helpdesk.platform.errors import InvalidRequest
from helpdesk.progress import moves
from helpdesk.signals import jobs, merge_transfer
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalMerged, SignalNotFound
from helpdesk.signals.jobs import SignalJob
from helpdesk.signals.record import Signal, SignalStatus
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import TaskNotFound
from helpdesk.tasks.record import Task

IN_REQUEST = 20
"""Up to how many reporters a merge moves in the request itself."""
_REQUEST_MS = 2_000
"""How long a merge waits for other writes, and moves posts, in the request itself."""


def merge(organization: str, actor: ActorName | None, signal_id: str, duplicate_id: str) -> None:
    """Merge a signal into another. A repeated merge changes nothing.

    The duplicate is not found from then on. Sends signal.updated once everything has moved. Raises SignalNotFound, and
    InvalidRequest for a signal and itself.
    """
    if duplicate_id == signal_id:
        signals.get(organization, signal_id)
        raise InvalidRequest("`duplicateId` must be a different signal than the one in the path.")

    def attempt() -> Signal | None:
        survivor = signals.get(organization, signal_id)
        duplicate = merge_transfer.find(organization, duplicate_id)
        if duplicate is None:
            raise SignalNotFound
        if duplicate.merged_into is not None:
            survivor_id = signals.survivor(organization, duplicate_id).id
            if survivor_id != signal_id:
                raise SignalMerged(survivor_id)
            return None
        transaction = Transaction()
        status, task_id = _cards(transaction, survivor, duplicate)
        merge_transfer.begin(transaction, survivor, duplicate, actor, status=status, task_id=task_id)
        transaction.commit()
        return duplicate

    merged = moves.retry(attempt)
    if merged is not None and merged.reporter_count + merged.commit_count <= IN_REQUEST:
        # The signals are merged, and the worker moves what is left.
        with suppress(Conflict), deadline.at(clock.now_ms() + _REQUEST_MS):
            move(organization, duplicate_id, None)


def _cards(transaction: Transaction, survivor: Signal, duplicate: Signal) -> tuple[SignalStatus, str | None]:
    """Leave one card to the signal that stays; return the status that the signal has then, and the card's id.

    Its own card stays with it, and the duplicate's card then belongs to no signal. Otherwise it gets the duplicate's.
    """
    card = _card(duplicate)
    if card is None:
        return survivor.status, survivor.task_id
    if survivor.task_id is not None:
        tasks.add_signal(transaction, card, None)
        return survivor.status, survivor.task_id
    tasks.add_signal(transaction, card, survivor.id)
    return moves.STATUS_OF[card.status], card.id


def _card(signal: Signal) -> Task | None:
    if signal.task_id is None:
        return None
    try:
        return tasks.get(signal.organization, signal.task_id)
    except TaskNotFound:
        return None


def work(job: SignalJob, until: int) -> str:
    """Move what a merged signal had until an instant (ms); return the outcome, for the log."""
    if move(job.organization, job.signal_id, until):
        return "merged"
    transaction = Transaction()
    jobs.put(transaction, job.to_job())
    transaction.commit()
    return "handed_on"


def move(organization: str, duplicate_id: str, until: int | None) -> bool:
    """Move what a merged signal had, until an instant (ms) or to the end; return whether it is at the end."""
    while not merge_transfer.move_batch(organization, duplicate_id):
        if until is not None and clock.now_ms() >= until:
            return False
    if not _move_posts(organization, duplicate_id, until or clock.now_ms() + _REQUEST_MS):
        return False
    merge_transfer.finish(organization, duplicate_id)
    return True


def _move_posts(organization: str, duplicate_id: str, until: int) -> bool:
    """File the posts of a merged signal under the one that stays, until an instant (ms); return whether all are."""
    while True:
        target = signals.survivor(organization, duplicate_id)
        with suppress(SignalNotFound):  # it was merged into another meanwhile
            return following.move_posts(organization, duplicate_id, target.id, until)
