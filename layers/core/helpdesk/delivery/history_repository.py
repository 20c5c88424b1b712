"""Items of deliveries as they are shown and made again. The signing secrets are none of this module's."""

from dataclasses import dataclass

from helpdesk.delivery.attempts import DeliveryState, Progress
from helpdesk.delivery.errors import DeliveryInProgress, DeliveryNotFound
from helpdesk.delivery.repository import (
    HISTORY_DAYS,
    PENDING_INDEX,
    Delivery,
    interrupted,
    pending_index_values,
    progress_of,
)
from helpdesk.delivery.schedule import parse_delays
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item, Page
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.errors import EndpointNotFound
from helpdesk.webhooks.record import Endpoint

MAX_ATTEMPTS_KEPT = 50
_KEPT_OF_BEFORE = MAX_ATTEMPTS_KEPT - 5  # with those of the run that begins


def newest(organization: str, endpoint_id: str, limit: int, before: str | None) -> Page:
    """Return an endpoint's deliveries of the last 30 days, newest event first, older than the event `before`.

    One query. DynamoDB removes what is over its time within days, not at once, so the time is part of the key.
    """
    since = clock.now_ms() - HISTORY_DAYS * DAY_MS
    return table.query(
        keys.Delivery(organization, endpoint_id, "-").pk,
        sk_between=(f"evt_{since:012x}", f"evt_{'f' * 32}"),
        limit=limit,
        newest_first=True,
        after=keys.Delivery(organization, endpoint_id, before).attributes() if before else None,
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What a redelivery begins with: the endpoint, the items of the delivery and of its event, and how far it is."""

    endpoint: Endpoint
    item: Item
    event: Item
    progress: Progress


def find(delivery: Delivery) -> Found:
    """Return the endpoint, the delivery and its event as they are at this moment, in one call.

    Raises EndpointNotFound, and DeliveryNotFound where the delivery or its event is not there or over 30 days old:
    what is kept longer for the sake of a run that began on the last day is shown no more.
    """
    endpoint_key = keys.WebhookEndpoint(delivery.organization, delivery.endpoint_id)
    event_key = keys.Event(delivery.organization, delivery.event_id)
    found = table.get_many([endpoint_key, event_key, delivery.key])
    if endpoint_key not in found:
        raise EndpointNotFound
    progress = progress_of(found.get(delivery.key))
    now = clock.now_ms()
    if progress is None or event_key not in found:
        raise DeliveryNotFound
    item, event = found[delivery.key], found[event_key]
    if event["createdAt"] + HISTORY_DAYS * DAY_MS <= now:
        raise DeliveryNotFound
    return Found(Endpoint.from_item(delivery.organization, found[endpoint_key]), item, event, progress)


def start_run(transaction: Transaction, delivery: Delivery, found: Found, now: int) -> None:
    """Begin the delivery's next run of attempts, where it is as it was found; keep it and its event until the end.

    The transaction raises DeliveryInProgress where an attempt or another redelivery began meanwhile, EndpointNotFound
    where the endpoint was removed, and DeliveryNotFound where the event was erased.
    """
    item, seen = found.item, found.progress
    over_at = clock.seconds_from_now(sum(parse_delays(settings().retry_delays_seconds)) + DAY_SECONDS)
    # An attempt that is neither under way nor recorded lost its worker; its task will find another run.
    attempts = [*item["attempts"], *([] if seen.recorded else [interrupted(seen)])]
    transaction.require(
        keys.WebhookEndpoint(delivery.organization, delivery.endpoint_id),
        "attribute_exists(PK)",
        on_failure=lambda _: EndpointNotFound(),
    )
    transaction.update(
        delivery.key,
        "SET #state = :pending, run = :next, made = :zero, recorded = :yes, claimedUntil = :zero, nextAt = :now, "
        f"attempts = :kept, expiresAt = :until, {PENDING_INDEX}",
        condition=(
            "#state = :seenState AND run = :seenRun AND made = :seenMade "
            "AND recorded = :seenRecorded AND claimedUntil = :seenUntil"
        ),
        names={"#state": "state"},
        values={
            ":pending": DeliveryState.PENDING.value,
            ":next": seen.run + 1,
            ":zero": 0,
            ":yes": True,
            ":now": now,
            ":kept": attempts[-_KEPT_OF_BEFORE:],
            ":until": max(item["expiresAt"], over_at),
            **pending_index_values(delivery, now),
            ":seenState": seen.state.value,
            ":seenRun": seen.run,
            ":seenMade": seen.made,
            ":seenRecorded": seen.recorded,
            ":seenUntil": seen.claimed_until,
        },
        on_failure=lambda _: DeliveryInProgress(),
    )
    if found.event["expiresAt"] < over_at:
        # On the last day alone. The body is to be there for the fifth attempt.
        transaction.update(
            keys.Event(delivery.organization, delivery.event_id),
            "SET expiresAt = :until",
            condition="attribute_exists(PK)",
            values={":until": over_at},
            on_failure=lambda _: DeliveryNotFound(),
        )
