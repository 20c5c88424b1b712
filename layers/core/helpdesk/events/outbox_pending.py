"""Which outbox items the fan-out has not dealt with.

An outbox item is written with an entry in GSI2 and loses it when everything that it calls for is booked and queued. So
what is left there for long was missed: the stream gave it up, ran out, or was not read at all.
"""

from collections.abc import Sequence

from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item, Page
from helpdesk.storage.transactions import Conflict, Transaction

_TOGETHER = 100  # TransactWriteItems' limit
_REMOVE_FROM_INDEX = "REMOVE GSI2PK, GSI2SK"
_EXISTS = "attribute_exists(PK)"  # an item that was erased meanwhile must not come back as an empty one


def mark_dispatched(items: Sequence[Item]) -> None:
    """Take note that these items are dealt with. One call for each hundred."""
    found = list({(item["PK"], item["SK"]): item for item in items}.values())
    for start in range(0, len(found), _TOGETHER):
        batch = [key for item in found[start : start + _TOGETHER] if (key := _key_of(item)) is not None]
        if not batch:
            continue
        transaction = Transaction()
        for key in batch:
            transaction.update(key, _REMOVE_FROM_INDEX, condition=_EXISTS, on_failure=ConditionFailed)
        try:
            transaction.commit()
        except (ConditionFailed, Conflict):
            _mark_singly(batch)


def list_pending(shard: int, before: int, limit: int, after: Item | None = None) -> Page:
    """Return a page of a shard's items that were written before an instant (ms) and not dealt with, oldest first."""
    return table.query(
        shards.new_outbox_items(shard),
        index="GSI2",
        sk_between=("0", f"{before:013d}"),
        limit=limit,
        after=after,
    )


def _mark_singly(batch: Sequence[keys.ItemKey]) -> None:
    for key in batch:
        try:
            table.update(key, _REMOVE_FROM_INDEX, condition=_EXISTS)
        except ConditionFailed:
            continue


def _key_of(item: Item) -> keys.ItemKey | None:
    return keys.Event.parse(item["PK"], item["SK"]) or keys.Job.parse(item["PK"], item["SK"])
