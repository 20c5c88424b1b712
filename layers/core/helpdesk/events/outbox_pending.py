"""Outbox items that the fan-out has not dispatched.

An outbox item is written with an entry in GSI2 and loses it when all its deliveries and jobs are queued. An item that
keeps the entry for long was missed: the stream gave up on it, expired, or was not read.
"""

from collections.abc import Sequence

from helpdesk.events.outbox import Event, HookDelivery, Outbox, QueuedJob
from helpdesk.storage import table
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.stored import Key
from helpdesk.storage.table import EXISTS, ConditionFailed, Item, Page
from helpdesk.storage.transactions import Transaction

_TOGETHER = 100  # TransactWriteItems' limit
_REMOVE_FROM_INDEX = "REMOVE GSI2PK, GSI2SK"
_REMOVE_CONTENT = f"{_REMOVE_FROM_INDEX}, jobs"


def mark_dispatched(items: Sequence[Item]) -> None:
    """Mark outbox items as dispatched. One call for each hundred.

    What a service sent loses its content, because no erasure finds it: its key names no organization. The key stays,
    so that a repeated request is known.
    """
    found = list(dict.fromkeys(key for item in items if (key := _key_of(item)) is not None))
    for start in range(0, len(found), _TOGETHER):
        batch = found[start : start + _TOGETHER]
        transaction = Transaction()
        for key in batch:
            transaction.update(key, _expression(key), condition=EXISTS, on_failure=ConditionFailed)
        try:
            transaction.commit()
        except (ConditionFailed, Conflict):
            _mark_singly(batch)


def list_pending(shard: int, before: int, limit: int, after: Item | None = None) -> Page:
    """Return a page of a shard's items that were written before an instant (ms) and not dispatched, oldest first."""
    return table.query(
        Outbox.partition_for(str(shard), index="GSI2"),
        index="GSI2",
        sk_between=("0", f"{before:013d}"),
        limit=limit,
        after=after,
    )


def _mark_singly(batch: Sequence[Key]) -> None:
    for key in batch:
        try:
            table.update(key, _expression(key), condition=EXISTS)
        except ConditionFailed:
            continue


def _expression(key: Key) -> str:
    return _REMOVE_CONTENT if key.kind is HookDelivery else _REMOVE_FROM_INDEX


def _key_of(item: Item) -> Key | None:
    pk, sk = table.key_of(item)
    for kind in (Event, QueuedJob, HookDelivery):
        if kind.parse(pk, sk) is not None:
            return Key(pk, sk, kind)
    return None
