"""What one execution environment remembers of allowances and credentials, so that it can decide without their item.

An item takes about 1,000 writes a second, from everyone who names its organization. These memories keep a flood of
requests away from it, and decide while DynamoDB throttles it all the same:

    rejected   credentials that failed a moment ago fail again, without a call
    suspected  organizations that were named with a wrong key: a key that is not known here is read before it is written
    budgets    while the item is throttled, this environment admits its share of the plan's rate and no more
    buckets    a bucket that was empty is not asked again before its next token

All are bounded and in memory only. A new environment begins with none of them.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from helpdesk.api.admission.record import Allowance, Bucket
from helpdesk.platform.record import Record
from helpdesk.platform.units import SECOND_US
from helpdesk.storage.stored import Key

REJECTED_SECONDS = 10
"""How long a failed credential is remembered. A key that is imported meanwhile works after that."""
SUSPECTED_SECONDS = 60
BUDGET_SHARE = 20
"""The share of an environment in a throttled allowance: one twentieth.

An environment handles one request at a time, some 50 a second, so at least about twenty of them are needed to reach the
1,000 writes a second at which DynamoDB throttles an item."""
LIMIT = 10_000
"""The most entries of each kind; the oldest ones make room."""


class Seen(Record):
    """An allowance as this environment saw it last, and whether it was filling although it was expected to be full."""

    allowance: Allowance
    was_filling: bool


class Share(NamedTuple):
    """An environment's share of a bucket, and whether a token was charged to it: none is, if it is empty."""

    bucket: Bucket
    charged: bool


@dataclass(slots=True)
class Memory:
    """The memory of one execution environment."""

    seen: dict[Key, Seen] = field(default_factory=dict)
    buckets: dict[Key, Bucket] = field(default_factory=dict)
    _rejected: dict[str, int] = field(default_factory=dict)
    _suspected: dict[str, int] = field(default_factory=dict)
    _refused: dict[str, tuple[int, int]] = field(default_factory=dict)
    _budgets: dict[Key, Bucket] = field(default_factory=dict)

    def see(self, key: Key, allowance: Allowance, *, was_filling: bool) -> None:
        """Remember an allowance."""
        _put(self.seen, key, Seen(allowance, was_filling))

    def see_bucket(self, key: Key, bucket: Bucket) -> None:
        """Remember a bucket."""
        _put(self.buckets, key, bucket)

    def knows(self, key: Key, key_hash: str) -> bool:
        """Return whether a secret key was live when its allowance was last seen."""
        seen = self.seen.get(key)
        return seen is not None and key_hash in seen.allowance.keys

    def reject(self, organization: str, key_hash: str, now_us: int) -> None:
        """Remember that a secret key is not one of the organization's."""
        _put(self._rejected, key_hash, now_us + REJECTED_SECONDS * SECOND_US)
        _put(self._suspected, organization, now_us + SUSPECTED_SECONDS * SECOND_US)

    def is_rejected(self, key_hash: str, now_us: int) -> bool:
        """Return whether a secret key failed a moment ago."""
        return self._rejected.get(key_hash, 0) > now_us

    def is_suspected(self, organization: str, now_us: int) -> bool:
        """Return whether an organization was named with a wrong key in the last minute."""
        return self._suspected.get(organization, 0) > now_us

    def refused_minutes(self, organization: str, minute: int) -> int | None:
        """Return in how many of the last sixty minutes an organization was refused, if that is known for this one."""
        known = self._refused.get(organization)
        return known[1] if known is not None and known[0] == minute else None

    def note_refused_minutes(self, organization: str, minute: int, minutes: int) -> None:
        """Remember in how many of the last sixty minutes an organization was refused."""
        _put(self._refused, organization, (minute, minutes))

    def charge(self, key: Key, interval: int, burst: int, now_us: int) -> Share:
        """Charge a token to this environment's share of a bucket, if it holds one."""
        interval, burst = interval * BUDGET_SHARE, max(1, burst // BUDGET_SHARE)
        bucket = self._budgets.get(key)
        if bucket is not None and bucket.interval == interval and bucket.next_at > now_us:
            return Share(bucket, charged=False)
        if bucket is None or bucket.interval != interval or bucket.full_at <= now_us:
            bucket = Bucket(now_us - (burst - 2) * interval, now_us + interval, interval)
        else:
            bucket = Bucket(bucket.next_at + interval, bucket.full_at + interval, interval)
        _put(self._budgets, key, bucket)
        return Share(bucket, charged=True)


def _put[Key, Value](kept: dict[Key, Value], key: Key, value: Value) -> None:
    kept.pop(key, None)
    if len(kept) >= LIMIT:
        del kept[next(iter(kept))]
    kept[key] = value
