"""An organization's events in order of time, for a receiver that missed some.

An event's ID begins with the millisecond of its creation, and its item is written a moment later: its transaction may
conflict with others and be retried. IDs of different functions therefore appear out of order. No try is sent when the
event is over 10 s old (`outbox.SEND_WITHIN_MS`), and the newest 20 s are held back. So the order of what is returned is
final, and no event appears at a position that was already read (docs/decisions/0051).
"""

from helpdesk.events.outbox import EVENT_DAYS, Event
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table

HELD_BACK_MS = 20_000
"""The age at which the feed first returns an event. Its transaction is sent within 10 s; another 10 s cover DynamoDB's
write, the index's delay and clocks that differ."""

_ID_CHARACTERS = 36  # `evt_` and 32 hexadecimal ones


def place_at(instant_ms: int) -> str:
    """Return the position before all events of an instant (ms) and later."""
    return f"evt_{max(0, instant_ms):012x}"


def after(organization: str, place: str | None, limit: int) -> tuple[list[Event], str, bool]:
    """Return up to `limit` events after a position, the position after them, and whether more may follow now.

    Without a position the list begins with the oldest stored event. If nothing follows, the position stays the same.
    One query.
    """
    now = clock.now_ms()
    start = max(place or "", place_at(now - EVENT_DAYS * DAY_MS))
    # The first text after the position: an ID with one more character is no ID.
    low = start + "0" if len(start) >= _ID_CHARACTERS else start
    high = place_at(now - HELD_BACK_MS)
    if low >= high:
        return [], place or start, False
    page = table.query(
        Event.partition_for(organization, index="GSI1"), index="GSI1", sk_between=(low, high), limit=limit
    )
    events = [Event.from_item(item) for item in page.items]
    return events, events[-1].id if events else place or start, page.after is not None
