"""Token buckets whose shape is in code: a person's allowance, and the limits beyond the three request classes.

They use the same two instants as an organization's allowance (see `allowance`). A bucket that does not exist is full,
and DynamoDB expires a bucket that has been full for an hour.
"""

from typing import NamedTuple, Self

from helpdesk.api.admission import allowance, repository
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.limits import Rate
from helpdesk.api.admission.record import Bucket
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_SECONDS, SECOND_US
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Throttled

_HOUR_US = HOUR_SECONDS * SECOND_US
_MAX_WRITES = 5


class Shape(NamedTuple):
    """A bucket's shape: the time that earns one token (microseconds), and the most tokens that it holds."""

    interval_us: int
    burst: int

    @classmethod
    def per_hour(cls, tokens: int, burst: int) -> Self:
        """Return the shape that earns this many tokens per hour."""
        return cls(_HOUR_US // tokens, burst)

    @classmethod
    def of(cls, rate: Rate) -> Self:
        """Return the shape of a request class."""
        return cls(rate.interval_us, rate.burst)


class BucketCharge(Record):
    """A bucket as it is at `now_us`, after tokens were charged or `peek` looked at it."""

    bucket: Bucket
    now_us: int


def charge(key: Key, shape: Shape, count: int = 1) -> BucketCharge:
    """Charge tokens, at most the burst. One write; two if the bucket is not as it was last seen here.

    A bucket that was seen empty is refused without a call until it holds the tokens. Raises BucketEmpty, or
    table.Throttled.
    """
    memory, now = allowance.memory(), clock.now_us()
    latest = now - (count - 1) * shape.interval_us
    seen = memory.buckets.get(key)
    if seen is not None and seen.interval == shape.interval_us and seen.next_at > latest:
        raise BucketEmpty(seen, now)
    filling = seen is not None and seen.full_at > now
    for _ in range(_MAX_WRITES):
        try:
            bucket = (
                _charge_filling(key, shape, now, count) if filling else _charge_full(key, shape, now, count)
            )
        except ConditionFailed as failed:
            found = None if failed.item is None else repository.bucket_of(key, failed.item)
            if found is not None and found.next_at > latest:
                memory.see_bucket(key, found)
                raise BucketEmpty(found, now) from None
            filling = found is not None and found.full_at > now
            continue
        memory.see_bucket(key, bucket)
        return BucketCharge(bucket, now)
    raise Throttled


def charge_or_pass(key: Key, shape: Shape) -> None:
    """Charge a token; none while DynamoDB throttles, as with the allowance. Raises BucketEmpty."""
    try:
        charge(key, shape)
    except Throttled:
        # A limiter that cannot be written must not stop requests.
        logger.warning("bucket_throttled", extra={"bucket": key.kind.__name__})


def peek(key: Key, shape: Shape) -> BucketCharge | None:
    """Return a bucket without a charge; None if DynamoDB throttles. One read."""
    now = clock.now_us()
    try:
        found = repository.get_bucket(key)
    except Throttled:
        return None
    bucket = found or Bucket(now, now, shape.interval_us)
    return BucketCharge(bucket.refilled(shape.burst, now), now)


def refund(key: Key, shape: Shape, count: int) -> None:
    """Refund tokens that were charged and not used. One write. Raises table.Throttled."""
    repository.refund_to_bucket(key, shape.interval_us, count)
    allowance.memory().buckets.pop(key, None)


def refund_or_pass(key: Key, shape: Shape) -> None:
    """Refund a token that was charged and not used, unless DynamoDB throttles. One write."""
    try:
        refund(key, shape, 1)
    except Throttled:
        logger.warning("bucket_throttled", extra={"bucket": key.kind.__name__})


def _charge_full(key: Key, shape: Shape, now: int, count: int) -> Bucket:
    full_at = now + count * shape.interval_us
    return repository.charge_full_bucket(
        key,
        now,
        shape.interval_us,
        next_at=now - (shape.burst - 1 - count) * shape.interval_us,
        full_at=full_at,
        expires_at=(full_at + _HOUR_US) // SECOND_US,
    )


def _charge_filling(key: Key, shape: Shape, now: int, count: int) -> Bucket:
    # The bucket is full again after at most a burst.
    latest = now + (shape.burst + 1) * shape.interval_us + _HOUR_US
    return repository.charge_filling_bucket(key, now, shape.interval_us, count, latest // SECOND_US)
