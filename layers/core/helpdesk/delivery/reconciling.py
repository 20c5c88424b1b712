"""Finding what was lost on the way and sending it on: the second line behind stream and queues.

Two sparse indexes tell what is not over: outbox items that the fan-out has not dealt with (GSI2) and deliveries that
are pending (GSI1, sorted by when their next attempt is due). What stands there for longer than any queue could explain
is done again. Nothing here is exact by itself: a delivery is created once and an attempt claimed once, whoever reminds
of it (`attempts`), so a repair that was not needed changes nothing.

A run costs a query for each shard of both indexes and whatever it repairs. It ends when its time is over, and the next
one goes on: what was repaired leaves the index or moves to its end.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from helpdesk.delivery import queue
from helpdesk.delivery.attempts import Progress
from helpdesk.delivery.fanout import fan_out_again
from helpdesk.delivery.queue import DeliveryTask
from helpdesk.delivery.repository import PENDING_INDEX, Delivery, pending_index_values, progress_of
from helpdesk.events import outbox_pending
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item, Page

OVERDUE_MS = 45 * MINUTE_MS
"""How long something may be overdue. A message that fails each time is handed out five times, 360 s apart at most, and
is set aside after 30 minutes; so whatever waits still waits in vain, or behind a backlog longer than that."""

_PAGE = 100  # BatchGetItem's limit, for the endpoints of a page
_THREADS = 8


@dataclass(frozen=True, slots=True)
class Repairs:
    """What a run did: outbox items that were fanned out again, and deliveries that were reminded of again."""

    fanned_out: int
    enqueued: int


def reconcile(until: int) -> Repairs:
    """Repair what is overdue, until nothing is or until the instant `until` (ms) has come.

    The deliveries come first: what is created anew is no repair of a delivery.
    """
    before = clock.now_ms() - OVERDUE_MS
    enqueued = enqueue_overdue(before, until)
    return Repairs(fan_out_pending(before, until), enqueued)


def fan_out_pending(before: int, until: int) -> int:
    """Fan out again what was written to the outbox before an instant (ms) and never dealt with; return how many."""
    done = 0
    for items in _pages(outbox_pending.list_pending, before, until):
        fanned_out = fan_out_again(items)
        done += fanned_out
        for item in items:
            logger.warning("outbox_item_repaired", extra={"item": item["SK"], "key": item["PK"]})
    return done


def enqueue_overdue(before: int, until: int) -> int:
    """Remind again of deliveries whose next attempt was due before an instant (ms); return how many."""
    return sum(_enqueue_page(items) for items in _pages(_overdue, before, until))


def _pages(
    read: Callable[[int, int, int, Item | None], Page], before: int, until: int
) -> Iterator[list[Item]]:
    """Yield the pages of every shard. Each run begins with another shard, so that none is left out for ever."""
    first = clock.now_ms() // MINUTE_MS
    for number in range(shards.SHARDS):
        after: Item | None = None
        while clock.now_ms() < until:
            page = read((first + number) % shards.SHARDS, before, _PAGE, after)
            if page.items:
                yield page.items
            after = page.after
            if after is None:
                break


def _overdue(shard: int, before: int, limit: int, after: Item | None) -> Page:
    return table.query(
        shards.pending_deliveries(shard),
        index="GSI1",
        sk_between=("0", f"{before:013d}"),
        limit=limit,
        after=after,
    )


def _enqueue_page(items: list[Item]) -> int:
    """Queue the tasks of a page, beside the retries, then let each delivery wait as long as before."""
    now = clock.now_ms()
    found = [(item, delivery, progress) for item in items for delivery, progress in _read(item, now)]
    endpoint_keys = {keys.WebhookEndpoint(each.organization, each.endpoint_id) for _, each, _ in found}
    endpoints = table.get_many(list(endpoint_keys))
    tasks: dict[DeliveryTask, Item] = {}
    for item, delivery, progress in found:
        # Of an endpoint that was removed too: the attempt that is not made any more ends the delivery.
        endpoint = endpoints.get(keys.WebhookEndpoint(delivery.organization, delivery.endpoint_id), {})
        attempt = progress.made + 1 if progress.recorded else progress.made
        task = DeliveryTask(
            delivery.organization,
            delivery.endpoint_id,
            delivery.event_id,
            endpoint.get("keyId"),
            attempt,
            item["nextAt"],
            progress.run,
        )
        tasks[task] = item
    for refused in queue.enqueue_retry(list(tasks)):
        del tasks[refused]
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(_postpone_check, tasks, tasks.values()))
    return len(tasks)


def _read(item: Item, now: int) -> Iterator[tuple[Delivery, Progress]]:
    """Yield the delivery that an item is, unless an attempt of it is being made."""
    key = keys.Delivery.parse(item["PK"], item["SK"])
    progress = progress_of(item)
    if key is not None and progress is not None and not progress.is_under_way(now):
        yield Delivery(key.organization, key.endpoint_id, key.event_id), progress


def _postpone_check(task: DeliveryTask, item: Item) -> None:
    """Look at a delivery again after the same time, where nothing happened to it meanwhile."""
    logger.warning(
        "overdue_delivery_enqueued",
        extra={
            "organization": task.organization,
            "endpoint": task.endpoint_id,
            "event": task.event_id,
            "attempt": task.attempt,
        },
    )
    try:
        table.update(
            task.delivery.key,
            f"SET {PENDING_INDEX}",
            condition="GSI1SK = :seen",
            values={":seen": item["GSI1SK"], **pending_index_values(task.delivery, clock.now_ms())},
        )
    except ConditionFailed:
        return
