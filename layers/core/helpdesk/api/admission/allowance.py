"""An organization's rate limit: a token bucket that one conditional write charges, however many callers charge it.

The bucket is stored as two instants instead of a count, so it refills by the passage of time:

    nextAt   from here on the bucket holds at least one token: a request passes when nextAt <= now
    fullAt   from here on the bucket is full

A charge moves both forward by `interval`. From a full bucket it sets them relative to now, because a full bucket
earns nothing. DynamoDB has no `max()`, so these are two forms of the write with conditions that exclude each other. The
form is chosen by what this execution environment saw last; a wrong choice costs one more call and never a wrong result.
Interval and slack are attributes of the item, so a change of plan applies to the next request. After a change of the
table of rates, an environment that sees the old numbers writes the new ones with its next charge.
"""

from typing import Any

from helpdesk.api.admission import repository
from helpdesk.api.admission.limits import Rate, RequestClass, Tier, rate_of
from helpdesk.api.admission.memory import Memory
from helpdesk.api.admission.record import Allowance, Bucket
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_US
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Throttled, WriteConflict

_MAX_WRITES = 5  # a write fails for its form only if another caller empties or fills the bucket in between


def shape_of(tier: Tier, rate: Rate) -> dict[str, Any]:
    """Return the fields of an `Allowance` that shape a bucket (intervals in microseconds)."""
    return {
        "tier": tier,
        "per_minute": rate.per_minute,
        "burst": rate.burst,
        "interval": rate.interval_us,
        # After one token is charged to a full bucket, nextAt is now - slack.
        "slack": (rate.burst - 2) * rate.interval_us,
    }


def _new_shape(found: Allowance, request_class: RequestClass) -> dict[str, Any] | None:
    """Return the shape of a bucket's tier if the bucket has another one: the table of rates has changed."""
    rate = rate_of(found.tier, request_class)
    return None if (found.per_minute, found.burst) == rate else shape_of(found.tier, rate)


class Charge(Record):
    """An allowance after one request was charged to it at `now_us`."""

    allowance: Allowance
    now_us: int


class UnknownCaller(Exception):
    """No organization has this id, or the key is not one of its live keys."""


class BucketEmpty(Exception):
    """The bucket holds no token at `now_us`. `allowance` is set if it is an organization's, or a share of it."""

    def __init__(self, bucket: Bucket, now_us: int, allowance: Allowance | None = None) -> None:
        self.bucket = bucket
        self.now_us = now_us
        self.allowance = allowance
        super().__init__("bucket empty")

    @property
    def retry_after(self) -> int:
        """Whole seconds until the next token, at least 1."""
        return self.bucket.retry_after(self.now_us)

    @property
    def is_fair_use(self) -> bool:
        """Whether the limit is the fair-use threshold of the unlimited tier."""
        return self.allowance is not None and self.allowance.tier is Tier.UNLIMITED


_memory = Memory()


def charge(organization: str, request_class: RequestClass, key_hash: str | None) -> Charge:
    """Charge one token in one write, which also proves that the key is live (None: an access token was checked before).

    A key that failed a moment ago fails without a call. While wrong keys arrive for an organization, a key that is not
    known here is read first, so that they use up none of the writes of its item. Raises UnknownCaller, BucketEmpty, or
    table.Throttled at the first throttled call.
    """
    key = Allowance.key_for(organization, request_class.value)
    now = clock.now_us()
    if key_hash is not None:
        _require_unsuspicious(organization, request_class, key_hash, now)
    seen = _memory.seen.get(key)
    filling = seen is not None and (seen.allowance.full_at > now or seen.was_filling)
    found = None if seen is None else seen.allowance
    for _ in range(_MAX_WRITES):
        shape = None if found is None else _new_shape(found, request_class)
        try:
            allowance = repository.charge_allowance(key, now, key_hash, filling=filling, shape=shape)
        except ConditionFailed as failed:
            stored = None if failed.item is None else Allowance.from_item(failed.item)
            found = _live(organization, stored, key_hash, now)
            if found.next_at > now:
                raise BucketEmpty(found, now, found) from None
            filling = found.full_at > now
            continue
        except WriteConflict:
            continue
        # A bucket that is filling although it was expected to be full is charged by other environments, too.
        _memory.see(key, allowance, was_filling=filling and allowance.full_at <= now)
        return Charge(allowance, now)
    raise Throttled


def charge_throttled(organization: str, request_class: RequestClass, key_hash: str | None) -> Charge:
    """Charge one token to this environment's share of an allowance that cannot be written. One read.

    Reads have a capacity of their own. If they are throttled too, what was seen last decides. Raises UnknownCaller,
    BucketEmpty, or table.Throttled if nothing was seen.
    """
    key, now = Allowance.key_for(organization, request_class.value), clock.now_us()
    try:
        found = _live(organization, repository.get_allowance(organization, request_class), key_hash, now)
    except Throttled:
        seen = _memory.seen.get(key)
        if seen is None or (key_hash is not None and key_hash not in seen.allowance.keys):
            raise
        found = seen.allowance
    if found.next_at > now:
        raise BucketEmpty(found, now, found)
    share = _memory.charge(key, found.interval, found.burst, now)
    if not share.charged:
        raise BucketEmpty(share.bucket, now, found)
    return Charge(found, now)


def charge_persons_share(key: Key, rate: Rate, now_us: int) -> Bucket:
    """Charge one token to this environment's share of a person's allowance that cannot be written; return the share.

    Raises BucketEmpty.
    """
    share = _memory.charge(key, rate.interval_us, rate.burst, now_us)
    if not share.charged:
        raise BucketEmpty(share.bucket, now_us)
    return share.bucket


def peek(organization: str, request_class: RequestClass, key_hash: str | None) -> Charge | None:
    """Return an allowance without charging it, for a refusal that costs none. At most one read.

    None while the item is throttled. Raises UnknownCaller; a key that failed a moment ago fails without a call.
    """
    now = clock.now_us()
    if key_hash is not None and _memory.is_rejected(key_hash, now):
        raise UnknownCaller
    try:
        found = _live(organization, repository.get_allowance(organization, request_class), key_hash, now)
    except Throttled:
        return None
    return Charge(found.refilled(found.burst, now), now)


def refused_minutes(organization: str) -> int:
    """Note that an organization is refused in this minute; return in how many of the last sixty minutes it was.

    One write per minute and execution environment. Raises table.Throttled.
    """
    minute = clock.now_us() // MINUTE_US
    minutes = _memory.refused_minutes(organization, minute)
    if minutes is None:
        minutes = repository.add_refused_minute(organization, minute)
        _memory.note_refused_minutes(organization, minute, minutes)
    return minutes


def _require_unsuspicious(organization: str, request_class: RequestClass, key_hash: str, now: int) -> None:
    """Raise UnknownCaller for a wrong key if that can be seen without a write."""
    if _memory.is_rejected(key_hash, now):
        raise UnknownCaller
    key = Allowance.key_for(organization, request_class.value)
    if _memory.is_suspected(organization, now) and not _memory.knows(key, key_hash):
        _live(organization, repository.get_allowance(organization, request_class), key_hash, now)


def _live(organization: str, found: Allowance | None, key_hash: str | None, now: int) -> Allowance:
    """Return an allowance that was found; raise UnknownCaller unless the key is one of its live keys."""
    if found is None or (key_hash is not None and key_hash not in found.keys):
        if key_hash is not None:
            _memory.reject(organization, key_hash, now)
        raise UnknownCaller
    return found


def memory() -> Memory:
    """Return what this execution environment remembers."""
    return _memory


def forget() -> None:
    """Forget everything, as a new execution environment would. For tests."""
    global _memory  # noqa: PLW0603 - an execution environment has one memory
    _memory = Memory()
