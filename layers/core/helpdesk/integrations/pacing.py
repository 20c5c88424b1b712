"""The pace of a channel: instants that it gives out one after another, each to one message."""

from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed


class Pace(Stored, kw_only=True):
    """When the next message may go to a channel (ms). A subclass has the key."""

    next_at: int


def next_slot(pace: type[Pace], *place: str, pace_ms: int) -> int:
    """Return the instant (ms) at which a message may go to a channel, and give that to nobody else.

    `place` are the parts of the key of its pace.
    """
    key, now = pace.key_for(*place), clock.now_ms()
    try:
        table.change(key, set={"next_at": now + pace_ms}, require={"next_at": below(now + 1)}, or_new=True)
    except ConditionFailed:
        after = table.change(key, add={"next_at": pace_ms}, or_new=True, returning="ALL_NEW")
        return pace.from_item(after).next_at - pace_ms
    return now
