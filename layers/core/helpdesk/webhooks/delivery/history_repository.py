"""Delivery items for the history and for redeliveries. This module reads no signing secrets."""

from helpdesk.events.outbox import EVENT_DAYS, Event
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.record import AttemptRecord, Delivery, DeliveryId
from helpdesk.webhooks.delivery.repository import as_seen, pending
from helpdesk.webhooks.delivery.schedule import parse_delays
from helpdesk.webhooks.errors import DeliveryInProgress, DeliveryNotFound, EndpointNotFound
from helpdesk.webhooks.record import WebhookEndpoint

MAX_ATTEMPTS_KEPT = 50
_KEPT_OF_BEFORE = MAX_ATTEMPTS_KEPT - 5  # with those of the run that begins


def newest(
    organization: str, endpoint_id: str, limit: int, before: str | None
) -> tuple[list[Delivery], bool]:
    """Return an endpoint's deliveries of the last 30 days, newest event first, and whether older ones may follow.

    Only those of events older than `before`, where it is given. One query. DynamoDB removes expired items within days
    and not at once, so the query bounds the time.
    """
    since = clock.now_ms() - EVENT_DAYS * DAY_MS
    page = table.query(
        Delivery.partition_for(organization, endpoint_id),
        sk_between=(f"evt_{since:012x}", f"evt_{'f' * 32}"),
        limit=limit,
        newest_first=True,
        after=Delivery.key_for(organization, endpoint_id, before).attributes() if before else None,
    )
    return [Delivery.from_item(item) for item in page.items], page.after is not None


class Found(Record):
    """What a redelivery starts from: the endpoint, the delivery, and when its event expires (seconds)."""

    endpoint: WebhookEndpoint
    delivery: Delivery
    event_expires_at: int


def find(delivery: DeliveryId) -> Found:
    """Return the endpoint, the delivery and its event, in one call.

    Raises EndpointNotFound. Raises DeliveryNotFound if the delivery or its event does not exist, or if the event is
    over 30 days old. (A run that starts on its last day keeps the event longer, but it is not shown.)
    """
    endpoint_key = WebhookEndpoint.key_for(delivery.organization, delivery.endpoint_id)
    event_key = Event.key_for(delivery.organization, delivery.event_id)
    found = table.get_many([endpoint_key, event_key, delivery.key])
    if endpoint_key not in found:
        raise EndpointNotFound
    if delivery.key not in found or event_key not in found:
        raise DeliveryNotFound
    event = Event.from_item(found[event_key])
    if event.created_at + EVENT_DAYS * DAY_MS <= clock.now_ms():
        raise DeliveryNotFound
    return Found(
        WebhookEndpoint.from_item(found[endpoint_key]),
        Delivery.from_item(found[delivery.key]),
        event.expires_at or 0,
    )


def start_run(transaction: Transaction, found: Found, now: int) -> None:
    """Start the delivery's next run of attempts, and keep the delivery and its event until the run is over.

    The transaction raises DeliveryInProgress if an attempt or another redelivery began meanwhile, EndpointNotFound if
    the endpoint was removed, and DeliveryNotFound if the event was erased.
    """
    delivery, seen = found.delivery, found.delivery.progress
    over_at = clock.seconds_from_now(sum(parse_delays(settings().retry_delays_seconds)) + DAY_SECONDS)
    # The worker of an attempt that is neither under way nor recorded died. Its task will find another run.
    lost = () if seen.recorded else (AttemptRecord.interrupted(seen),)
    transaction.require(found.endpoint.key, {}, on_failure=EndpointNotFound())
    transaction.change(
        delivery.key,
        set={
            "state": DeliveryState.PENDING,
            "run": seen.run + 1,
            "made": 0,
            "recorded": True,
            "claimed_until": 0,
            "next_at": now,
            "attempts": (*delivery.attempts, *lost)[-_KEPT_OF_BEFORE:],
            "expires_at": max(delivery.expires_at, over_at),
            **pending(delivery.id, now),
        },
        require=as_seen(seen),
        on_failure=DeliveryInProgress(),
    )
    if found.event_expires_at < over_at:
        # Only on the event's last day. Its body must exist until the fifth attempt.
        transaction.change(
            Event.key_for(delivery.organization, delivery.event_id),
            set={"expires_at": over_at},
            on_failure=DeliveryNotFound(),
        )


def resume(delivery: DeliveryId) -> Item | None:
    """Make a delivery that was given up pending and overdue again; return its item, None if it was not given up."""
    try:
        return table.change(
            delivery.key,
            set={**pending(delivery, 0), "unreadable": None},
            require={"unreadable": other_than(None), "GSI1PK": None},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
