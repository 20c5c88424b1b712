"""An organization's rate limit: a token bucket that one conditional write charges, however many callers charge it.

The bucket is stored as two instants instead of a count, so it refills by the passage of time:

    nextAt   from here on the bucket holds at least one token: a request passes when nextAt <= now
    fullAt   from here on the bucket is full

Taking a token moves both forward by `interval`. From a full bucket it sets them relative to now, because a full bucket
earns nothing. DynamoDB has no `max()`, so these are two forms of the write with conditions that exclude each other. The
form is chosen by what this execution environment saw last; a wrong choice costs one more call and never a wrong result.
Interval and slack are attributes of the item, so a change of plan applies to the next request.
"""

from helpdesk.admission import repository
from helpdesk.admission.limits import Rate, RequestClass, Tier
from helpdesk.admission.record import Allowance, Bucket
from helpdesk.admission.repository import AllowanceNotTaken
from helpdesk.platform import clock
from helpdesk.platform.errors import FairUseLimited, RateLimited
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage import keys
from helpdesk.storage.table import Item, Throttled

_MAX_WRITES = 5  # a write fails for its form only if another caller empties or fills the bucket in between


def bucket_attributes(tier: Tier, rate: Rate) -> Item:
    """Return the attributes that shape a bucket (intervals in microseconds)."""
    return {
        "tier": tier.value,
        "perMinute": rate.per_minute,
        "burst": rate.burst,
        "interval": rate.interval_us,
        # After one token is taken from a full bucket, nextAt is now - slack.
        "slack": (rate.burst - 2) * rate.interval_us,
    }


class Charge(FrozenRecord):
    """An allowance after one request was charged to it at `now_us`."""

    allowance: Allowance
    now_us: int


class UnknownCaller(Exception):
    """No organization has this id, or the key is not one of its live keys."""


class BucketEmpty(Exception):
    """The bucket holds no token at `now_us`. `allowance` is set if it is an organization's."""

    def __init__(self, bucket: Bucket, now_us: int, allowance: Allowance | None = None) -> None:
        self.bucket = bucket
        self.now_us = now_us
        self.allowance = allowance
        super().__init__("bucket empty")

    @property
    def retry_after(self) -> int:
        """Whole seconds until the next token, at least 1."""
        return self.bucket.retry_after(self.now_us)

    def to_error(self) -> RateLimited:
        """Return the error for the caller with its Retry-After (whole seconds, at least 1)."""
        unlimited = self.allowance is not None and self.allowance.tier is Tier.UNLIMITED
        error = FairUseLimited if unlimited else RateLimited
        return error(headers={"retry-after": str(self.retry_after)})


# What this execution environment saw last of each allowance: when it is full, and whether it was unexpectedly filling.
_seen: dict[keys.Allowance, tuple[int, bool]] = {}
_SEEN_LIMIT = 10_000


def take(organization: str, request_class: RequestClass, key_hash: str | None) -> Charge:
    """Take one token in one write, which also proves that the key is live (None: an access token was checked before).

    Raises UnknownCaller, BucketEmpty, or table.Throttled.
    """
    key = keys.Allowance(organization, request_class.value)
    now = clock.now_us()
    full_at, was_filling = _seen.get(key, (0, False))
    filling = full_at > now or was_filling
    for _ in range(_MAX_WRITES):
        try:
            allowance = repository.take_allowance(key, now, key_hash, filling=filling)
        except AllowanceNotTaken as failed:
            found = failed.allowance
            if found is None or (key_hash is not None and key_hash not in found.keys):
                raise UnknownCaller from None
            if found.bucket.next_at > now:
                raise BucketEmpty(found.bucket, now, found) from None
            filling = found.bucket.full_at > now
            continue
        if len(_seen) >= _SEEN_LIMIT:
            _seen.clear()
        # A bucket that is filling although it was expected to be full is charged by other environments, too.
        _seen[key] = (allowance.bucket.full_at, filling and full_at <= now)
        return Charge(allowance, now)
    raise Throttled


def forget() -> None:
    """Forget what was seen, as a new execution environment would. For tests."""
    _seen.clear()
