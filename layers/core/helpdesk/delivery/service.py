"""The history of an endpoint's deliveries, and making one again (beyond the specification; docs/decisions/0051)."""

from helpdesk.delivery import history_repository as repository
from helpdesk.delivery.attempts import DeliveryState
from helpdesk.delivery.errors import LOST_AFTER_MINUTES, DeliveryInProgress
from helpdesk.delivery.queue import DeliveryTask
from helpdesk.delivery.repository import Delivery
from helpdesk.delivery.schemas import Attempt, DeliveryShown, Status
from helpdesk.events.outbox import job_item
from helpdesk.outbound.outcome import Failure
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks

_STATUS: dict[DeliveryState, Status] = {
    DeliveryState.PENDING: "pending",
    DeliveryState.DELIVERED: "delivered",
    DeliveryState.DROPPED: "failed",
    DeliveryState.CANCELLED: "cancelled",
}


def newest(
    organization: str, endpoint_id: str, limit: int, before: str | None
) -> tuple[list[DeliveryShown], str | None]:
    """Return a page of an endpoint's deliveries, newest event first, and the event id that the next page begins behind.

    Raises EndpointNotFound, also for an endpoint that was removed.
    """
    webhooks.require(organization, endpoint_id)
    page = repository.newest(organization, endpoint_id, limit, before)
    return [_shown(item) for item in page.items], page.items[-1]["eventId"] if page.after else None


def redeliver(organization: str, endpoint_id: str, event_id: str) -> None:
    """Send an event to an endpoint once more: the same body, in a new run of at most five attempts, from now on.

    A retry of the run before that still waits is given up for it. That the new run begins and that its task is
    queued are one transaction, by way of the outbox. Raises EndpointNotFound, DeliveryNotFound, and DeliveryInProgress
    where an attempt is under way, so that nothing is ever sent by two runs at once, or where the first one is due and
    on its way. One that did not begin in ten minutes counts as lost; should it come after all, it is of another run.
    """
    delivery = Delivery(organization, endpoint_id, event_id)
    found = repository.find(delivery)
    item, seen = found.item, found.progress
    now = clock.now_ms()
    about_to_begin = (
        seen.state is DeliveryState.PENDING
        and seen.made == 0
        and now < max(item.get("nextAt") or 0, item["createdAt"]) + LOST_AFTER_MINUTES * MINUTE_MS
    )
    if about_to_begin or seen.is_under_way(now):
        raise DeliveryInProgress
    transaction = Transaction()
    repository.start_run(transaction, delivery, found, now)
    task = DeliveryTask(organization, endpoint_id, event_id, found.endpoint.key_id, 1, now, seen.run + 1)
    transaction.put(job_item(organization, task.to_job()))
    transaction.commit()


def _shown(item: Item) -> DeliveryShown:
    state = DeliveryState(item["state"])
    waits = state is DeliveryState.PENDING and item["recorded"]
    return DeliveryShown(
        event_id=item["eventId"],
        type=item["type"],
        created_at=item["eventCreatedAt"],
        status=_STATUS[state],
        attempts=[
            Attempt(
                attempt=entry["attempt"],
                at=entry["at"],
                status=entry["status"],
                duration_ms=entry["durationMs"],
                error=None if entry["error"] is None else Failure(entry["error"]),
            )
            for entry in item["attempts"]
        ],
        next_attempt_at=item.get("nextAt") if waits else None,
    )
