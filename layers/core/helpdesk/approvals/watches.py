"""Which runs of the agent a worker has to continue, so that one that was lost is found.

A watch is put when a run begins and with each job that continues it, and ends when the run is over. A watch that
is due belongs to a run whose worker died at every try of its job, or that waits for a person
(helpdesk/agent_runs/lost_runs.py). It is an item of its own because a run can have 300 KB, which an index would repeat.
"""

from typing import NamedTuple

from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

LOST_AFTER_MS = 15 * MINUTE_MS
"""How long a run may stay as it is while it waits for nobody. A job of the agent's queue that nobody continues is
visible again after 12 minutes."""

_KEPT_SECONDS = 30 * DAY_SECONDS  # as long as the run itself


def put(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Watch a run from now on, in the transaction of its job."""
    key = keys.RunWatch(organization, conversation_id, message_id)
    transaction.put(
        {
            **key.attributes(),
            "GSI2PK": shards.due_runs(shards.shard_of(message_id)),
            "GSI2SK": due_at(clock.now_ms()),
            "requeues": 0,
            "expiresAt": clock.seconds_from_now(_KEPT_SECONDS),
        }
    )


def due_at(touched: int) -> str:
    """Return when to look at a run that was touched at an instant (ms), as the index sorts it."""
    return f"{touched + LOST_AFTER_MS:013d}"


class Watch(NamedTuple):
    """A watch as it was read: its run's key, when it is due as the index sorts it, and how often the run was queued."""

    key: keys.RunWatch
    due: str
    requeues: int

    @classmethod
    def from_item(cls, item: Item) -> "Watch | None":
        """Read a watch; None for an item that is none."""
        key = keys.RunWatch.parse(item["PK"], item["SK"])
        return None if key is None else cls(key, item["GSI2SK"], item["requeues"])


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[Watch], Item | None]:
    """Return a page of a shard's watches that are due before an instant (ms), and the key to continue from."""
    page = table.query(
        shards.due_runs(shard), index="GSI2", sk_between=("0", f"{before:013d}"), limit=limit, after=after
    )
    found = [watch for item in page.items if (watch := Watch.from_item(item)) is not None]
    return found, page.after


def move(transaction: Transaction, seen: Watch, due: str, *, requeues: int) -> None:
    """Look at a run at another time. The transaction raises ConditionFailed if the watch is not as it was seen."""
    transaction.update(
        seen.key,
        "SET GSI2SK = :due, requeues = :requeues",
        condition="GSI2SK = :seen",
        values={":due": due, ":requeues": requeues, ":seen": seen.due},
        on_failure=ConditionFailed,
    )


def end(transaction: Transaction, key: keys.RunWatch) -> None:
    """Watch a run no longer. Its item stays, out of the index, because the agent's worker may delete nothing."""
    transaction.put({**key.attributes(), "expiresAt": clock.seconds_from_now(_KEPT_SECONDS)})


def end_seen(transaction: Transaction, seen: Watch) -> None:
    """Watch a run no longer. The transaction raises ConditionFailed if the watch is not as it was seen."""
    transaction.update(
        seen.key,
        "REMOVE GSI2PK, GSI2SK",
        condition="GSI2SK = :seen",
        values={":seen": seen.due},
        on_failure=ConditionFailed,
    )


def delete(transaction: Transaction, key: keys.RunWatch) -> None:
    """Delete a watch, for the erasure of its run."""
    transaction.delete(key)
