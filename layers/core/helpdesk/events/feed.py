"""The events of an organization in the order of their time, for a receiver that missed some.

An event's id begins with the millisecond in which it was made, and its item is written a moment later: its transaction
may meet others, and is tried again. Ids made by different functions therefore appear out of order. No try leaves when
the event is over 10 s old, whatever function makes it (`outbox.SEND_WITHIN_MS`), and the newest 20 s are held back:
what is given out is settled, and no event appears behind a place that was read past (docs/decisions/0051).
"""

from helpdesk.events.outbox import EVENT_DAYS, StoredEvent
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys, table

HELD_BACK_MS = 20_000
"""How old an event is when it is first given out: the 10 s in which its transaction leaves, and as long again for
DynamoDB to write it, for the index to follow and for clocks that differ."""

_ID_CHARACTERS = 36  # `evt_` and 32 hexadecimal ones


def place_at(instant_ms: int) -> str:
    """Return the place in front of all events of an instant (ms) and later."""
    return f"evt_{max(0, instant_ms):012x}"


def after(organization: str, place: str | None, limit: int) -> tuple[list[StoredEvent], str, bool]:
    """Return up to `limit` items behind a place, the place behind them, and whether more may follow already.

    Without a place the list begins with the oldest event that is kept. Where nothing follows, the place stays what it
    is. One query.
    """
    now = clock.now_ms()
    start = max(place or "", place_at(now - EVENT_DAYS * DAY_MS))
    # The first text behind the place: no id is as long as one and a character.
    low = start + "0" if len(start) >= _ID_CHARACTERS else start
    high = place_at(now - HELD_BACK_MS)
    if low >= high:
        return [], place or start, False
    page = table.query(keys.event_feed(organization), index="GSI1", sk_between=(low, high), limit=limit)
    events = [StoredEvent.from_item(item) for item in page.items]
    return events, events[-1].id if events else place or start, page.after is not None
