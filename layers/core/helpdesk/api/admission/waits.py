"""How many requests may wait at a time for a server outside the deployment, such as an OpenID Connect provider.

A wait occupies one of the account's concurrent executions (1,000 at first), which every function shares. So there is a
limit for each organization, by its plan, and one for the whole deployment.

Nothing counts the waits that are under way, because a function that is killed would not count itself out. Instead a
wait pays for its seconds before it begins, from two token buckets whose tokens are seconds of waiting: the
organization's, and the pool of its kind of plan. It is refunded the seconds that it does not use; those of a killed
function come back by the passage of time. A bucket for N waits at a time holds half of N waits of 20 s and earns half a
second of each of N a second:

    at any moment at most N full waits are under way, and N / 2 in the long run

Beyond that a request is refused. Taking seconds is one write to each bucket, giving them back is one more; an
environment that was refused asks nothing for a second.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.limits import Tier
from helpdesk.api.admission.record import OrganizationBucket, WaitPool
from helpdesk.platform import clock, deadline
from helpdesk.platform.errors import RateLimited
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
"""The waits of an organization at a time."""

POOLS = {"explore_others": 25, "paid_others": 75}
"""The waits of the whole deployment at a time. Organizations on Explore share a quarter, all others the rest: anyone
can have many organizations on the free plan, and they take no wait from those that pay."""

FULL_WAIT_SECONDS = 20
"""The longest wait that a bucket counts with. The gateway gives a request 29 seconds."""

RETRY_AFTER_SECONDS = 5
"""When to try again after a refusal: a bucket for 10 waits has earned the seconds of one by then."""

_REFUSED_US = SECOND_US
_REMEMBERED = 1_000
_refused: dict[Key, int] = {}


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
def on_others(organization: str, tier: Tier, seconds: float) -> Iterator[None]:
    """Let the code inside wait for other servers, for so many seconds together. Raises RateLimited.

    The seconds are the deadline of the requests inside (`outbound.exchange`), and they end with the code. So a server
    that answers slowly keeps a function no longer than was paid for.
    """
    wait = begin(organization, tier, round(seconds * 1_000))
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


def begin(organization: str, tier: Tier, wanted_ms: int) -> Wait | None:
    """Begin a wait, or return None where too many wait already. Two writes, none where one was refused just now."""
    if WAITS[tier] == 0:
        return None
    lots = _lots(organization, tier)
    seconds = min([-(-wanted_ms // 1_000), *(lot.shape.burst for lot in lots)])
    return Wait(lots, seconds, clock.now_ms()) if _pay(lots, seconds) else None


def end(wait: Wait) -> None:
    """Refund the whole seconds that a wait did not use. Two writes, none if it used all."""
    unused = wait.seconds - -(-(clock.now_ms() - wait.began_ms) // 1_000)
    if unused > 0:
        _refund(wait.lots, unused)


def _lots(organization: str, tier: Tier) -> tuple[_Lot, ...]:
    """Return the organization's bucket and the one of a pool."""
    pool = "explore_others" if tier is Tier.EXPLORE else "paid_others"
    return (
        _Lot(OrganizationBucket.key_for(organization, "waits_on_others"), _shape(WAITS[tier])),
        _Lot(WaitPool.key_for(pool), _shape(POOLS[pool])),
    )


def _shape(waits: int) -> buckets.Shape:
    """Return the bucket of seconds for so many waits at a time."""
    return buckets.Shape(2_000_000 // waits, max(2, waits * FULL_WAIT_SECONDS // 2))


def _pay(lots: Iterable[_Lot], seconds: int) -> bool:
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
