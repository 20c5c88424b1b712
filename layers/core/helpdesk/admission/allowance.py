"""A token bucket that is charged by one conditional write, whoever else charges it at the same moment.

The bucket is kept as two instants instead of a count, so that it refills by the mere passing of time:

    nextAt   the bucket holds at least one token from here on: a request passes when nextAt <= now
    fullAt   the bucket is full from here on

Taking a token moves both forward by `interval`; from a full bucket it sets them relative to now, since a full
bucket gains nothing by waiting longer. DynamoDB has no `max()`, so these are two forms of the same write with
conditions that exclude each other. The form is guessed from what this execution environment saw last; a wrong
guess costs one more call and never a wrong answer. Interval and slack are attributes of the item: a change of
plan works from the next request on, without anything to invalidate.
"""

from typing import NamedTuple

from helpdesk.admission.limits import Rate, RequestClass, Tier
from helpdesk.platform import clock
from helpdesk.platform.errors import FairUseLimited, RateLimited
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item, Throttled

_US = 1_000_000
_MOST_WRITES = 5  # the form can change under a write only when another caller empties or fills the bucket

_KEY_IS_LIVE = "attribute_exists(#keys.#hash)"
_ITEM_IS_THERE = "attribute_exists(PK)"
# When the key was used last, in ms: told by the same write, so that it costs none of its own.
_KEY_WAS_USED = ", #keys.#hash.usedAt = :ms"
_FROM_FULL = (
    "SET nextAt = :now - slack, fullAt = :now + #interval",
    "fullAt <= :now",
)
_WHILE_FILLING = (
    "SET nextAt = nextAt + #interval, fullAt = fullAt + #interval",
    "nextAt <= :now AND fullAt > :now",
)


def bucket_attributes(tier: Tier, rate: Rate) -> Item:
    """Return the attributes that shape a bucket (instants and intervals in microseconds)."""
    return {
        "tier": tier.value,
        "perMinute": rate.per_minute,
        "burst": rate.burst,
        "interval": rate.interval_us,
        # nextAt after taking one token from a full bucket at `now` is now - slack.
        "slack": (rate.burst - 2) * rate.interval_us,
    }


class Charge(NamedTuple):
    """An allowance after one request was taken from it."""

    item: Item
    now_us: int

    @property
    def remaining(self) -> int:
        """How many more requests would pass at this moment."""
        return max(0, (self.now_us - int(self.item["nextAt"])) // int(self.item["interval"]) + 1)

    @property
    def seconds_to_full(self) -> int:
        """Whole seconds until the bucket is full again."""
        return max(0, -(-(int(self.item["fullAt"]) - self.now_us) // _US))


class UnknownCaller(Exception):
    """No organization has this id, or the key is not among its live ones."""


class BucketEmpty(Exception):
    """No token is left for the moment; `item` is the bucket's state."""

    def __init__(self, item: Item, now_us: int) -> None:
        self.item = item
        self.now_us = now_us
        super().__init__("bucket empty")

    @property
    def retry_after(self) -> int:
        """Whole seconds until a token is there, at least 1."""
        return max(1, -(-(int(self.item["nextAt"]) - self.now_us) // _US))

    def to_error(self) -> RateLimited:
        """Return the error for the caller with its Retry-After (whole seconds, at least 1)."""
        kind = FairUseLimited if self.item.get("tier") == Tier.UNLIMITED else RateLimited
        return kind(headers={"retry-after": str(self.retry_after)})


# What this execution environment saw last, per allowance: where the bucket was full, and which form succeeded.
_seen: dict[keys.Allowance, tuple[int, bool]] = {}
_SEEN_LIMIT = 10_000


def take(organization: str, request_class: RequestClass, key_hash: str | None) -> Charge:
    """Take one token in one write, which also proves that the key is live (None: a token was checked before).

    Raises UnknownCaller, BucketEmpty, or storage's Throttled when DynamoDB wants a pause.
    """
    key = keys.Allowance(organization, request_class.value)
    now = clock.now_us()
    full_at, was_filling = _seen.get(key, (0, False))
    form = full_at > now or was_filling
    for _ in range(_MOST_WRITES):
        try:
            item = _write(key, _WHILE_FILLING if form else _FROM_FULL, now, key_hash)
        except ConditionFailed as failed:
            found = failed.item
            if found is None or (key_hash is not None and key_hash not in found["keys"]):
                raise UnknownCaller from None
            if found["nextAt"] > now:
                raise BucketEmpty(found, now) from None
            form = found["fullAt"] > now
            continue
        if len(_seen) >= _SEEN_LIMIT:
            _seen.clear()
        # A bucket found filling against what was expected is drawn from by other environments too.
        _seen[key] = (item["fullAt"], form and full_at <= now)
        return Charge(item, now)
    raise Throttled


def forget() -> None:
    """Forget what was seen, as a new execution environment would. For tests."""
    _seen.clear()


def _write(key: keys.Allowance, form: tuple[str, str], now: int, key_hash: str | None) -> Item:
    expression, condition = form
    names = {"#interval": "interval"}
    values = {":now": now}
    if key_hash is None:
        caller = _ITEM_IS_THERE
    else:
        caller = _KEY_IS_LIVE
        expression += _KEY_WAS_USED
        names |= {"#keys": "keys", "#hash": key_hash}
        values[":ms"] = now // 1_000
    return table.update(
        key,
        expression,
        condition=f"{caller} AND {condition}",
        names=names,
        values=values,
        returning="ALL_NEW",
    )
