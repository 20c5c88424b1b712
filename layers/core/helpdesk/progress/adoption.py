"""What the team decides about requests: adopting a signal as a card, or declining it.

A signal has at most one card. That is a condition: the transaction that adds a card requires the version of the signal
that was read without one.
"""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.progress.errors import AlreadyATask, NotARequest
from helpdesk.progress.moves import add_status, card_of, retry, signal_of
from helpdesk.progress.schemas import TaskRequest, TaskRequestsAnswer, TaskRequestsQuery
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalMerged, SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import TaskNotFound
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import TaskInput, TaskStatus


def adopt(caller: Caller, signal_id: str) -> Task:
    """Make a signal a card, the last one of `planned`; the signal becomes planned, even if it was done or declined.

    Raises SignalNotFound, AlreadyATask.
    """
    organization = caller.organization
    number: int | None = None

    def attempt() -> Task:
        nonlocal number
        seen = signals.get(organization, signal_id)
        if seen.task_id is not None:
            raise AlreadyATask
        if number is None:
            number = tasks.next_number(organization)
        transaction = Transaction()
        card = tasks.add_new(
            transaction,
            caller,
            TaskInput(title=seen.title, description=seen.body, priority=seen.priority),
            signal_id=seen.id,
            number=number,
        )
        add_status(transaction, seen, caller.actor, SignalStatus.PLANNED, card.id)
        transaction.commit()
        return card

    return retry(attempt)


def decline(caller: Caller, name: str) -> None:
    """Decline a card in `requests`, by its id or key, or a signal that waits for a decision, by its id.

    The card is deleted, and its signal becomes declined. Raises TaskNotFound, NotARequest.
    """

    def attempt() -> str | None:
        try:
            card = tasks.find(caller.organization, name)
        except TaskNotFound:
            return _decline_signal(caller, name)
        return _decline_card(caller, card)

    deleted = retry(attempt)
    if deleted is not None:
        tasks.forget_links(caller.organization, deleted)


def _decline_card(caller: Caller, card: Task) -> str:
    if card.status is not TaskStatus.REQUESTS:
        raise NotARequest(
            f"This card is in `{card.status.value}`. Only a card in `requests` can be declined. Move it there first, "
            "or delete it."
        )
    transaction = Transaction()
    tasks.add_delete(transaction, card)
    if card.signal_id is not None:
        add_status(transaction, signal_of(card), caller.actor, SignalStatus.DECLINED, None)
    transaction.commit()
    return card.id


def _decline_signal(caller: Caller, signal_id: str) -> str | None:
    try:
        signal = signals.get(caller.organization, signal_id)
    except SignalMerged as merged:
        raise TaskNotFound(merged.message) from None
    except (SignalNotFound, MalformedKey):
        raise TaskNotFound from None
    if signal.task_id is not None:
        return _decline_card(caller, card_of(signal))
    if signal.status is SignalStatus.DECLINED:
        raise NotARequest("This signal is already declined.")
    if signal.status is not SignalStatus.OPEN:
        raise NotARequest(
            f"This signal is `{signal.status.value}`, so it isn't waiting for a decision. To decline it anyway, set "
            "its status with PATCH /v1/signals/{id}."
        )
    transaction = Transaction()
    signals.add_change(transaction, signal, signal.with_status(SignalStatus.DECLINED), caller.actor)
    transaction.commit()
    return None


def requests(caller: Caller, query: TaskRequestsQuery) -> TaskRequestsAnswer:
    """Return a page of the open signals that have no card, newest first. Raises InvalidCursor."""
    name = "tasks/requests"
    found, end = signals.requests(caller.organization, query.limit, position(caller, query, name))
    return TaskRequestsAnswer(
        requests=[TaskRequest.from_record(signal, signal_id=signal.id) for signal in found],
        next_cursor=next_cursor(caller, end, name),
    )
