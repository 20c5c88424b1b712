"""How many requests may wait at a time: for each organization, for its plan, and in the whole deployment.

A wait occupies one of the account's concurrent executions (1,000 at first), which every function shares. Two kinds of
requests wait, and each kind has buckets of its own: calls of GET /messages wait for messages (`waiting`), and other
requests wait for a server outside the deployment (`on_others`), such as an organization's OpenID Connect provider.

Nothing counts the waits that are under way, because a function that is killed would not count itself out. Instead a
wait pays for its seconds before it begins, from two token buckets whose tokens are seconds of waiting: the
organization's, and the pool of its kind of plan. It is refunded the seconds that it does not use; those of a killed
function come back by the passage of time. A bucket for N waits at a time holds half of N waits of 20 s and earns half a
second of each of N a second:

    at any moment at most N full waits are under way, and N / 2 in the long run

Beyond that GET /messages returns at once, as without `wait`, and the other requests are refused. Taking seconds is one
write to each bucket, giving them back is one more; an environment that was refused asks nothing for a second. A pool is
divided into shards of at most 250 waits, so its items take far fewer writes than DynamoDB allows.
"""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import NamedTuple

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.limits import MAX_WAIT_SECONDS, Tier
from helpdesk.api.admission.record import OrganizationBucket, WaitPool
from helpdesk.platform import clock, deadline
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.settings import settings
from helpdesk.platform.units import SECOND_US
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Throttled

WAITS: dict[Tier, int] = {
    Tier.EXPLORE: 10,
    Tier.STANDARD: 50,
    Tier.HIGHER: 100,
    Tier.HIGHEST: 150,
    Tier.UNLIMITED: 150,
}
"""The waits of an organization at a time, of each kind."""

EXPLORE_SHARE = 4
"""Organizations on Explore share a quarter of the deployment's waits, all others the rest: anyone can have many
organizations on the free plan, and they take no wait from those that pay."""

OTHERS_SHARE, MIN_OTHERS = 2, 8
"""Half as many requests wait for other servers as calls of GET /messages wait, and at least 8: a deployment in which no
call of GET /messages waits still has sign-in at a provider."""

RETRY_AFTER_SECONDS = 5
"""When to try again after a refusal: a bucket for 10 waits has earned the seconds of one by then."""

SHARD_WAITS = 250

_BUCKETS = 2
_REFUSED_US = SECOND_US
_REMEMBERED = 1_000
_refused: dict[Key, int] = {}


class Kind(StrEnum):
    """What is waited for. The value names the organization's bucket."""

    MESSAGES = "waits"
    OTHERS = "waits_on_others"


class _Lot(NamedTuple):
    """A bucket that a wait is paid from."""

    key: Key
    shape: buckets.Shape


class Wait(NamedTuple):
    """A wait that began, and may last so many seconds."""

    lots: tuple[_Lot, ...]
    seconds: int
    began_ms: int


@contextmanager
def waiting(organization: str, tier: Tier, wanted_ms: int) -> Iterator[int]:
    """Yield how long a call may wait, in ms: as long as it wants, or less, or 0 where too many wait already."""
    wait = begin(organization, tier, wanted_ms, Kind.MESSAGES)
    if wait is None:
        yield 0
        return
    try:
        yield min(wanted_ms, wait.seconds * 1_000)
    finally:
        end(wait)


@contextmanager
def on_others(organization: str, tier: Tier, seconds: float) -> Iterator[None]:
    """Let the code inside wait for other servers, for so many seconds together. Raises RateLimited.

    The seconds are the deadline of the requests inside (`outbound.exchange`), and they end with the code. So a server
    that answers slowly keeps a function no longer than was paid for.
    """
    wait = begin(organization, tier, round(seconds * 1_000), Kind.OTHERS)
    if wait is None:
        raise RateLimited(
            "Too many requests are waiting for servers outside Helpdesk. Wait for the seconds in Retry-After and try "
            "again.",
            headers={"retry-after": str(RETRY_AFTER_SECONDS)},
        )
    try:
        with deadline.at(clock.now_ms() + min(round(seconds * 1_000), wait.seconds * 1_000)):
            yield
    finally:
        end(wait)


def begin(organization: str, tier: Tier, wanted_ms: int, kind: Kind) -> Wait | None:
    """Begin a wait, or return None where too many wait already. Two writes, none where one was refused just now."""
    lots = _lots(organization, tier, kind)
    seconds = min([-(-wanted_ms // 1_000), *(lot.shape.burst for lot in lots)])
    if len(lots) < _BUCKETS or not _pay(lots, seconds):
        return None
    return Wait(tuple(lots), seconds, clock.now_ms())


def end(wait: Wait) -> None:
    """Refund the whole seconds that a wait did not use. Two writes, none if it used all."""
    unused = wait.seconds - -(-(clock.now_ms() - wait.began_ms) // 1_000)
    if unused > 0:
        _refund(wait.lots, unused)


def _lots(organization: str, tier: Tier, kind: Kind) -> list[_Lot]:
    """Return the organization's bucket and the one of a pool, without the one that holds no wait."""
    in_all = settings().waiting_reads
    if kind is Kind.OTHERS:
        in_all = max(MIN_OTHERS, in_all // OTHERS_SHARE)
    explore = in_all // EXPLORE_SHARE
    pool, size = ("explore", explore) if tier is Tier.EXPLORE else ("paid", in_all - explore)
    shards = max(1, -(-size // SHARD_WAITS))
    shard = random.randrange(shards)  # noqa: S311 - it spreads writes and decides nothing
    if kind is Kind.OTHERS:
        pool += "_others"
    found = [
        (OrganizationBucket.key_for(organization, kind.value), WAITS[tier]),
        (WaitPool.key_for(pool, str(shard)), size // shards),
    ]
    return [_Lot(key, _shape(waits)) for key, waits in found if waits > 0]


def _shape(waits: int) -> buckets.Shape:
    """Return the bucket of seconds for so many waits at a time."""
    return buckets.Shape(2_000_000 // waits, max(2, waits * MAX_WAIT_SECONDS // 2))


def _pay(lots: list[_Lot], seconds: int) -> bool:
    """Charge the seconds of a wait to each bucket, or to none; return whether they were there."""
    now = clock.now_us()
    if any(_refused.get(lot.key, 0) > now for lot in lots):
        return False
    paid: list[_Lot] = []
    for lot in lots:
        try:
            buckets.charge(lot.key, lot.shape, seconds)
        except (BucketEmpty, Throttled):
            if len(_refused) >= _REMEMBERED:
                _refused.clear()
            _refused[lot.key] = now + _REFUSED_US
            _refund(paid, seconds)
            return False
        paid.append(lot)
    return True


def _refund(lots: Iterable[_Lot], seconds: int) -> None:
    for lot in lots:
        with suppress(Throttled):  # they come back by themselves, only later
            buckets.refund(lot.key, lot.shape, seconds)


def forget() -> None:
    """Forget what was refused, as a new execution environment would. For tests."""
    _refused.clear()
