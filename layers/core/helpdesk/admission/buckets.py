"""Token buckets whose shape stands in code: a person's allowance, and the limits beside the three classes.

The same two instants as an organization's allowance (see `allowance`), but nothing has to be there before: a bucket
that does not exist is a full one, and DynamoDB forgets one that has been full for an hour.
"""

from typing import NamedTuple, Self

from helpdesk.admission.allowance import BucketEmpty, Charge
from helpdesk.admission.limits import Rate
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import table
from helpdesk.storage.keys import ItemKey
from helpdesk.storage.table import ConditionFailed, Throttled

_US = 1_000_000
_HOUR_US = HOUR_SECONDS * _US
_MOST_WRITES = 5

_SHAPE = "#interval = :interval, expiresAt = :expires"
_FROM_FULL = "attribute_not_exists(PK) OR fullAt <= :now"
_WHILE_FILLING = "nextAt <= :now AND fullAt > :now"


class Shape(NamedTuple):
    """A bucket's shape: how long one more token takes to come (microseconds), and how many there may be."""

    interval_us: int
    burst: int

    @classmethod
    def per_hour(cls, tokens: int, burst: int) -> Self:
        """Return the shape that earns so many tokens an hour."""
        return cls(_HOUR_US // tokens, burst)

    @classmethod
    def of(cls, rate: Rate) -> Self:
        """Return the shape of a class of requests."""
        return cls(rate.interval_us, rate.burst)


def take(key: ItemKey, shape: Shape) -> Charge:
    """Take one token. One write; two where the bucket has been drawn from lately.

    Raises BucketEmpty, or storage's Throttled when DynamoDB wants a pause.
    """
    now = clock.now_us()
    full = True
    for _ in range(_MOST_WRITES):
        next_at, full_at = now - (shape.burst - 2) * shape.interval_us, now + shape.interval_us
        values = {":now": now, ":interval": shape.interval_us}
        if full:
            expression = f"SET nextAt = :next, fullAt = :full, {_SHAPE}"
            values |= {":next": next_at, ":full": full_at, ":expires": (full_at + _HOUR_US) // _US}
        else:
            # It is full again a burst from now at the latest.
            latest = now + (shape.burst + 1) * shape.interval_us + _HOUR_US
            expression = f"SET nextAt = nextAt + :interval, fullAt = fullAt + :interval, {_SHAPE}"
            values |= {":expires": latest // _US}
        try:
            item = table.update(
                key,
                expression,
                condition=_FROM_FULL if full else _WHILE_FILLING,
                names={"#interval": "interval"},
                values=values,
                returning="ALL_NEW",
            )
        except ConditionFailed as failed:
            found = failed.item
            if found is not None and found["nextAt"] > now:
                raise BucketEmpty(found, now) from None
            full = found is None or found["fullAt"] <= now
            continue
        return Charge(item, now)
    raise Throttled
