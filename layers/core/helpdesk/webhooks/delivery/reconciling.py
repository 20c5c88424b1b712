"""Repair of lost work: the reconciler queues again what stream or queues lost.

Two sparse indexes hold unfinished work: outbox items that the fan-out has not dispatched (GSI2), and pending deliveries
(GSI1, sorted by the time of their next attempt). Work that stays there longer than any queue explains is enqueued
again. A repair that was not needed changes nothing, because a delivery is created once and an attempt claimed once,
however many tasks there are (`attempts`).

A run costs a query for each shard of both indexes, and the repairs. It ends when its time is over, and the next run
continues: what was repaired leaves the index or moves to its end.
"""

from concurrent.futures import ThreadPoolExecutor

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.events import outbox_pending
from helpdesk.platform import clock, metrics
from helpdesk.platform.logging import log_unreadable, logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards, table
from helpdesk.storage.table import Item, Throttled
from helpdesk.webhooks.delivery import history_repository, queue, repository
from helpdesk.webhooks.delivery.fanout import fan_out_again, write_dead_letter
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery, DeliveryId

OVERDUE_MS = 45 * MINUTE_MS
"""How long something may be overdue. A message that fails each time is received five times, 360 s apart at most, and
moves to the dead-letter queue after 30 minutes. What is still pending after that is lost, or behind a long backlog."""

_PAGE = 100  # as many as one transaction marks dispatched
_THREADS = 8


class Repairs(Record):
    """What a run repaired: how many outbox items it fanned out, and how many overdue deliveries it enqueued."""

    fanned_out: int
    enqueued: int


def reconcile(until: int) -> Repairs:
    """Repair overdue work, until nothing is left or the instant `until` (ms) has come.

    Deliveries come first, so that those that the fan-out creates here are not counted as repaired.
    """
    before = clock.now_ms() - OVERDUE_MS
    enqueued = enqueue_overdue(before, until)
    return Repairs(fan_out_pending(before, until), enqueued)


def fan_out_pending(before: int, until: int) -> int:
    """Fan out the outbox items that were written before an instant (ms) and not dispatched; return how many."""
    done = 0

    def read(shard: int, after: Item | None) -> tuple[list[Item], Item | None]:
        page = outbox_pending.list_pending(shard, before, _PAGE, after)
        return page.items, page.after

    for items in shards.pages(read, _turn(), until):
        done += fan_out_again(items)
        for item in items:
            pk, sk = table.key_of(item)
            metrics.count("Repairs")
            logger.warning("outbox_item_repaired", extra={"item": sk, "key": pk})
    return done


def enqueue_overdue(before: int, until: int) -> int:
    """Enqueue the deliveries whose next attempt was due before an instant (ms); return how many."""

    def read(shard: int, after: Item | None) -> tuple[list[Item], Item | None]:
        return repository.list_overdue(shard, before, after)

    return sum(_enqueue_page(_readable(items)) for items in shards.pages(read, _turn(), until))


def enqueue_again(delivery: DeliveryId) -> int:
    """Enqueue a delivery that was given up; return how many were enqueued, 1 or 0.

    One that still cannot be read is pending again, so the next runs try it five times more.
    """
    item = history_repository.resume(delivery)
    return 0 if item is None else _enqueue_page(_readable([item]))


def _readable(items: list[Item]) -> list[Delivery]:
    """Return the deliveries of a page that can be read. The others are given up after five failures."""
    deliveries = []
    for item in items:
        try:
            deliveries.append(Delivery.from_item(item))
        except Exception as error:  # noqa: BLE001 - one delivery must not hold up the others
            _pass_over(item, error)
    return deliveries


def _pass_over(item: Item, error: Exception) -> None:
    pk, sk = table.key_of(item)
    log_unreadable({"PK": pk, "SK": sk}, error)
    try:
        given_up = repository.note_unreadable(item)
    except (Throttled, ClientError, BotoCoreError) as trouble:
        logger.warning("failure_not_noted", extra={"error": type(trouble).__name__})
        return
    if given_up:
        write_dead_letter({"PK": pk, "SK": sk})


def _turn() -> int:
    return clock.now_ms() // MINUTE_MS


def _enqueue_page(deliveries: list[Delivery]) -> int:
    """Enqueue tasks for the deliveries of a page on the retry queue, and let each wait as long as before."""
    now = clock.now_ms()
    idle = [delivery for delivery in deliveries if not delivery.progress.is_under_way(now)]
    # Also for an endpoint that was removed: the attempt finds that out and ends the delivery.
    signed_by = repository.signing_keys([delivery.id for delivery in idle])
    tasks = {_task(delivery, signed_by[delivery.id]): delivery for delivery in idle}
    for refused in queue.enqueue_retry(list(tasks)):
        del tasks[refused]
    for task in tasks:
        metrics.count("Repairs")
        logger.warning(
            "overdue_delivery_enqueued",
            extra={
                "organization": task.organization,
                "endpoint": task.endpoint_id,
                "event": task.event_id,
                "attempt": task.attempt,
            },
        )
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(_postpone, tasks.values()))
    return len(tasks)


def _postpone(delivery: Delivery) -> None:
    try:
        repository.postpone_check(delivery)
    except (Throttled, ClientError, BotoCoreError) as error:
        # The next run enqueues it again, which does no harm.
        logger.warning("check_not_postponed", extra={"error": type(error).__name__})


def _task(delivery: Delivery, key_id: str | None) -> DeliveryTask:
    return DeliveryTask(
        organization=delivery.organization,
        endpoint_id=delivery.endpoint_id,
        event_id=delivery.event_id,
        key_id=key_id,
        attempt=delivery.made + 1 if delivery.recorded else delivery.made,
        due_at=delivery.next_at or 0,
        run=delivery.run,
    )
