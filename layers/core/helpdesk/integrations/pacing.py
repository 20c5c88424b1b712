"""The pace of a channel: instants that it gives out one after another, each to one message."""

from helpdesk.platform import clock
from helpdesk.storage import attributes, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import ConditionFailed


def next_slot(key: ItemKey, pace_ms: int) -> int:
    """Return the instant (ms) at which a message may go to the channel of this key, and give that to nobody else."""
    now = clock.now_ms()
    try:
        table.update(
            key,
            "SET nextAt = :next",
            condition="attribute_not_exists(nextAt) OR nextAt <= :now",
            values={":now": now, ":next": now + pace_ms},
        )
    except ConditionFailed:
        after = table.update(key, "ADD nextAt :pace", values={":pace": pace_ms}, returning="ALL_NEW")
        return attributes.number(after, "nextAt") - pace_ms
    return now
