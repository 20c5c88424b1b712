"""Delivery items for the history and for redeliveries. This module reads no signing secrets."""

from typing import NamedTuple

from helpdesk.events.outbox import EVENT_DAYS, Event
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.record import AttemptRecord, Delivery, DeliveryId
from helpdesk.webhooks.delivery.repository import as_seen
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


class Found(NamedTuple):
    """What a redelivery starts from. Without a delivery, the first attempt hasn't begun."""

    endpoint: WebhookEndpoint
    event: Event
    delivery: Delivery | None


def find(delivery: DeliveryId) -> Found:
    """Return the endpoint, the event and their delivery, in one call.

    Raises EndpointNotFound. Raises DeliveryNotFound if the event does not exist or never was for the endpoint, or if it
    is over 30 days old. (A run that starts on its last day keeps the event longer, but it is not shown.)
    """
    endpoint_key = WebhookEndpoint.key_for(delivery.organization, delivery.endpoint_id)
    event_key = Event.key_for(delivery.organization, delivery.event_id)
    found = table.get_many([endpoint_key, event_key, delivery.key])
    if endpoint_key not in found:
        raise EndpointNotFound
    if event_key not in found:
        raise DeliveryNotFound
    endpoint, event = WebhookEndpoint.from_item(found[endpoint_key]), Event.from_item(found[event_key])
    begun = Delivery.from_item(found[delivery.key]) if delivery.key in found else None
    over = event.created_at + EVENT_DAYS * DAY_MS <= clock.now_ms()
    if over or (begun is None and not endpoint.receives(event)):
        raise DeliveryNotFound
    return Found(endpoint, event, begun)


def start_run(
    transaction: Transaction, endpoint: WebhookEndpoint, event: Event, delivery: Delivery, now: int
) -> None:
    """Start the delivery's next run of attempts, and keep the delivery and its event until the run is over.

    The transaction raises DeliveryInProgress if an attempt or another redelivery began meanwhile, EndpointNotFound if
    the endpoint was removed, and DeliveryNotFound if the event was erased.
    """
    seen = delivery.progress
    over_at = clock.seconds_from_now(sum(parse_delays(settings().retry_delays_seconds)) + DAY_SECONDS)
    # The worker of an attempt that is neither under way nor recorded died. Its task will find another run.
    lost = () if seen.recorded else (AttemptRecord.interrupted(seen),)
    transaction.require(endpoint.key, {}, on_failure=EndpointNotFound())
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
        },
        require=as_seen(seen),
        on_failure=DeliveryInProgress(),
    )
    if (event.expires_at or 0) < over_at:
        # Only on the event's last day. Its body must exist until the fifth attempt.
        transaction.change(
            event.key,
            set={"expires_at": over_at},
            on_failure=DeliveryNotFound(),
        )
