"""Replaying what the stream or a queue lost: events and jobs are fanned out again, and due attempts queued again.

The stream keeps a change for 24 hours. What the fan-out missed for longer, because somebody switched it off, is still
in the table. So is a delivery whose queue was purged. A replay reads the whole table, a call for each megabyte, and may
be repeated: what was delivered is not sent again, and no job is done twice.
"""

from collections.abc import Sequence

from helpdesk.events.outbox import EVENT_DAYS, JOB_DAYS, OUTBOX
from helpdesk.platform import clock
from helpdesk.platform.logging import log_unreadable
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import Filter, Item
from helpdesk.webhooks.delivery import queue
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.fanout import fan_out_again
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from helpdesk.webhooks.record import WebhookEndpoint

OVERDUE_MS = 45 * MINUTE_MS
"""How long an attempt may be overdue. A message that fails each time is received five times, 360 s apart at most, and
moves to the dead-letter queue after 30 minutes. What is still pending after that is lost, or behind a long backlog."""

_PAGE = 1_000


def replay(since: int, until: int) -> dict[str, int]:
    """Replay what happened between two instants (ms); return how much was fanned out, and how many attempts queued.

    An endpoint gets what it listens to now, if it existed when the event happened. A delivery that this version cannot
    read is logged and passed over.
    """
    matching = _written_between(since // 1_000, until // 1_000 + 1)
    fanned_out = queued = 0
    after: Item | None = None
    while True:
        page = table.scan(limit=_PAGE, after=after, matching=matching)
        outbox: list[Item] = []
        deliveries: list[Item] = []
        for item in page.items:
            (deliveries if Delivery.parse(*table.key_of(item)) else outbox).append(item)
        fanned_out += fan_out_again(outbox)
        queued += _queue_overdue(_readable(deliveries))
        after = page.after
        if after is None:
            return {"fannedOut": fanned_out, "queued": queued}


def _written_between(since: int, until: int) -> Filter:
    """Return the filter for events, jobs that still exist, and pending deliveries, between two instants (seconds)."""
    events, jobs = EVENT_DAYS * DAY_SECONDS, JOB_DAYS * DAY_SECONDS
    names = {
        "#data": "data",
        "#entity": "entity",
        "#jobs": "jobs",
        "#state": "state",
        "#expires": "expiresAt",
    }
    values = {
        ":outbox": OUTBOX,
        ":pending": DeliveryState.PENDING.value,
        ":events_from": since + events,
        ":events_to": until + events,
        ":jobs_from": since + jobs,
        ":jobs_to": until + jobs,
    }
    return Filter(
        "(#entity = :outbox AND attribute_exists(#data) AND #expires BETWEEN :events_from AND :events_to)"
        " OR (#entity = :outbox AND attribute_not_exists(#data) AND attribute_exists(#jobs)"
        " AND #expires BETWEEN :jobs_from AND :jobs_to)"
        " OR (#state = :pending AND #expires BETWEEN :events_from AND :events_to)",
        names,
        values,
    )


def _readable(items: Sequence[Item]) -> list[Delivery]:
    found = []
    for item in items:
        try:
            found.append(Delivery.from_item(item))
        except UnreadableItem as error:
            pk, sk = table.key_of(item)
            log_unreadable({"PK": pk, "SK": sk}, error)
    return found


def _queue_overdue(deliveries: Sequence[Delivery]) -> int:
    """Queue the attempts of deliveries that no message is left for; return how many."""
    now = clock.now_ms()
    overdue = [each for each in deliveries if max(each.next_at or 0, each.claimed_until) < now - OVERDUE_MS]
    wanted = {each.id: WebhookEndpoint.key_for(each.organization, each.endpoint_id) for each in overdue}
    # Also for an endpoint that was removed: the attempt finds that out and ends the delivery.
    endpoints = table.get_many(list(set(wanted.values())))
    tasks = [
        DeliveryTask(
            organization=each.organization,
            endpoint_id=each.endpoint_id,
            event_id=each.event_id,
            key_id=endpoints.get(wanted[each.id], {}).get("keyId"),
            attempt=each.made + 1 if each.recorded else each.made,
            due_at=each.next_at or 0,
            run=each.run,
        )
        for each in overdue
    ]
    return len(tasks) - len(queue.enqueue_retry(tasks))
