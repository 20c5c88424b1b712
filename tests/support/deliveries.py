"""Deliveries as a worker leaves them, without a worker."""

from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import repository
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.repository import Result


def first_tasks(event: Event) -> list[DeliveryTask]:
    """Return the tasks of an event's first attempts, to all endpoints of its organization."""
    return [DeliveryTask.first(event, endpoint) for endpoint in webhooks.listening(event.organization)]


def attempted(event: Event, task: DeliveryTask, status: int | None = 200) -> None:
    """Make the first attempt, with the status that the receiver answers. With None, the worker dies before it sends."""
    now = clock.now_ms()
    repository.claim(task.delivery, event, None, 1, now)
    if status is None:
        return
    succeeded = status < 300
    outcome = Outcome(status, None if succeeded else Failure.STATUS, 5)
    state, next_at = (DeliveryState.DELIVERED, None) if succeeded else (DeliveryState.PENDING, now + 30_000)
    repository.record(task.delivery, Result(1, 1, now, outcome, state, next_at))
