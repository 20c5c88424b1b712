"""Moves of signals and cards, which happen together (Specification: States and transitions, Signal; Task).

One table says which column fits which status, both ways. A move is one transaction: the signal, its card, and one event
signal.updated. Both require the version that was read. A move that loses against another reads both again.
"""

from collections.abc import Callable
from copy import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import Signal, StaleSignal
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import StaleTask, TaskNotFound
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import TaskStatus, TaskUpdate

STATUS_OF = {
    TaskStatus.REQUESTS: SignalStatus.OPEN,
    TaskStatus.PLANNED: SignalStatus.PLANNED,
    TaskStatus.IN_PROGRESS: SignalStatus.IN_PROGRESS,
    TaskStatus.IN_REVIEW: SignalStatus.IN_REVIEW,
    TaskStatus.DONE: SignalStatus.DONE,
}
"""The status of the signal of a card, by the card's column."""

COLUMN_OF = {status: column for column, status in STATUS_OF.items()}
"""The column of the card of a signal, by the signal's status. A declined signal has no card."""


def retry[T](attempt: Callable[[], T]) -> T:
    """Return what an attempt returns; repeat one that lost against another change. Raises Conflict."""
    return repeat_when_stale(attempt, StaleTask, StaleSignal)


def add_card_move(
    transaction: Transaction, signal: Signal, status: SignalStatus, *, by_person: bool
) -> str | None:
    """Add the move of a signal's card to the column of a status; return the id of the card that it has then.

    A declined signal loses its card: the caller calls `tasks.service.forget_links` afterwards. The transaction raises
    StaleTask.
    """
    if signal.task_id is None:
        return None
    card = card_of(signal)
    column = COLUMN_OF.get(status)
    if column is None:
        tasks.add_delete(transaction, card)
        return None
    if card.status is not column:
        tasks.add_move(transaction, card, column, by_person=by_person)
    return signal.task_id


def change_task(caller: Caller, name: str, wanted: TaskUpdate) -> Task:
    """Change a card, by its id or key; a card that changes its column moves its signal.

    Raises TaskNotFound, TitleRequired, InvalidRequest, NotAMember.
    """

    def attempt() -> Task:
        seen = tasks.find(caller.organization, name)
        transaction = Transaction()
        changed = tasks.add_update(transaction, seen, wanted)
        if changed.status is not seen.status:
            add_signal_move(transaction, changed, caller.actor)
        if transaction:
            transaction.commit()
        return changed

    return retry(attempt)


def add_signal_move(transaction: Transaction, card: Task, actor: ActorName | None) -> None:
    """Add the move of a card's signal to the status of the card's column, and its event.

    A move to done notifies the reporters. The transaction raises StaleSignal.
    """
    if card.signal_id is None:
        return
    signal = signal_of(card)
    status = STATUS_OF[card.status]
    if signal.status is not status:
        signals.add_change(transaction, signal, signal.with_status(status), actor)


def delete_task(caller: Caller, name: str) -> None:
    """Delete a card, by its id or key. Raises TaskNotFound.

    Its signal stays and has no card. One that was planned or under way is open again, so that it is a request again.
    """

    def attempt() -> str:
        seen = tasks.find(caller.organization, name)
        transaction = Transaction()
        tasks.add_delete(transaction, seen)
        if seen.signal_id is not None:
            signal = signal_of(seen)
            keeps = signal.status in {SignalStatus.DONE, SignalStatus.DECLINED}
            add_status(transaction, signal, caller.actor, signal.status if keeps else SignalStatus.OPEN, None)
        transaction.commit()
        return seen.id

    try:
        deleted = retry(attempt)
    except TaskNotFound:
        # A request that died after the deletion may have left what was linked.
        if name.startswith("task_"):
            tasks.forget_links(caller.organization, name)
        raise
    tasks.forget_links(caller.organization, deleted)


def card_of(signal: Signal) -> Task:
    """Return a signal's card. Raises StaleSignal if it is gone: then the signal has changed, too."""
    try:
        return tasks.get(signal.organization, signal.task_id or "")
    except TaskNotFound:
        raise StaleSignal(None) from None


def add_status(
    transaction: Transaction, seen: Signal, actor: ActorName | None, status: SignalStatus, task_id: str | None
) -> None:
    """Add the status and the card of a signal. Its event is sent if the status changes."""
    becomes = replace(seen.with_status(status), task_id=task_id)
    signals.add_change(transaction, seen, becomes, actor, event=status is not seen.status)


def signal_of(card: Task) -> Signal:
    """Return a card's signal. Raises StaleTask if it was merged: then the card has changed, too."""
    try:
        return signals.get(card.organization, card.signal_id or "")
    except SignalNotFound:
        raise StaleTask from None
