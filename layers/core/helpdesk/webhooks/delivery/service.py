"""The rules of delivery history, redelivery and erasure (beyond the specification; docs/decisions/0051)."""

from collections.abc import Sequence
from copy import replace

from helpdesk.events.outbox import job_item
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import history_repository as repository
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery, DeliveryId
from helpdesk.webhooks.delivery.repository import delete_events
from helpdesk.webhooks.delivery.schemas import Attempt, DeliveryShown, Status
from helpdesk.webhooks.errors import LOST_AFTER_MINUTES, DeliveryInProgress

_STATUS: dict[DeliveryState, Status] = {
    DeliveryState.PENDING: "pending",
    DeliveryState.DELIVERED: "delivered",
    DeliveryState.DROPPED: "failed",
    DeliveryState.CANCELLED: "cancelled",
}


def newest(
    organization: str, endpoint_id: str, limit: int, before: str | None
) -> tuple[list[DeliveryShown], str | None]:
    """Return a page of an endpoint's deliveries, newest event first, and the event ID after which the next page begins.

    Raises EndpointNotFound, also for an endpoint that was removed.
    """
    webhooks.require(organization, endpoint_id)
    records, more = repository.newest(organization, endpoint_id, limit, before)
    return [_shown(record) for record in records], records[-1].event_id if more else None


def redeliver(organization: str, endpoint_id: str, event_id: str) -> None:
    """Send an event to an endpoint again: the same body, in a new run of at most five attempts that starts now.

    A pending retry of the earlier run is dropped. The start of the run and its task, which goes through the outbox, are
    one transaction. If the first attempt hasn't begun, its task is queued again, which is harmless.

    Raises EndpointNotFound, DeliveryNotFound. Raises DeliveryInProgress while an attempt is under way, so that two runs
    never send at once, and while that of an earlier redelivery is due and not started. An attempt that has not started
    ten minutes after it was due counts as lost. If its task arrives after all, it belongs to an earlier run.
    """
    endpoint, event, delivery = repository.find(DeliveryId(organization, endpoint_id, event_id))
    transaction = Transaction()
    if delivery is None:
        task = DeliveryTask.first(event, endpoint)
    else:
        progress, now = delivery.progress, clock.now_ms()
        about_to_begin = (
            progress.state is DeliveryState.PENDING
            and progress.made == 0
            and now < (delivery.next_at or 0) + LOST_AFTER_MINUTES * MINUTE_MS
        )
        if about_to_begin or progress.is_under_way(now):
            raise DeliveryInProgress
        repository.start_run(transaction, endpoint, event, delivery, now)
        task = replace(DeliveryTask.first(event, endpoint), due_at=now, run=progress.run + 1)
    transaction.put(job_item(organization, task.to_job()))
    transaction.commit()


def delete_for(organization: str, event_ids: Sequence[str]) -> None:
    """Remove events and their deliveries to the organization's present endpoints, because their messages are erased.

    Costs one query of the endpoints and one call per 25 items. Nothing happens without events.
    """
    if event_ids:
        endpoints = [endpoint.id for endpoint in webhooks.listening(organization)]
        delete_events(organization, event_ids, endpoints)


def _shown(delivery: Delivery) -> DeliveryShown:
    progress = delivery.progress
    waits = progress.state is DeliveryState.PENDING and progress.recorded
    return DeliveryShown(
        event_id=delivery.event_id,
        type=delivery.type,
        created_at=delivery.event_created_at,
        status=_STATUS[progress.state],
        attempts=[Attempt.from_record(attempt) for attempt in delivery.attempts],
        next_attempt_at=delivery.next_at if waits else None,
    )
