"""How many live connections an organization may have at a time, by its plan.

Nothing counts the connections that are open, because a disconnect can get lost. Instead a connection pays for its two
hours before it begins, from a token bucket whose tokens are minutes of one connection, and is refunded the minutes that
it does not use. A bucket for N connections holds half of the minutes of N, and earns half a minute of each of N a
minute: at any moment at most N are open, and what was lost comes back by the passage of time.

Teammates and visitors have a bucket each: what strangers ask for on a help site takes nothing from the team.
"""

from contextlib import suppress

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.limits import Tier
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.live.errors import TooManyConnections
from helpdesk.live.record import CONNECTION_MS, LiveConnection
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.units import MINUTE_MS, MINUTE_US
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Throttled

CONNECTIONS: dict[Tier, int] = {
    Tier.EXPLORE: 100,
    Tier.STANDARD: 2_000,
    Tier.HIGHER: 5_000,
    Tier.HIGHEST: 10_000,
    Tier.UNLIMITED: 20_000,
}
"""The live connections of an organization's teammates at a time, and as many of its visitors."""

_MINUTES = CONNECTION_MS // MINUTE_MS


def charge(organization: str, ceiling: int, *, of_member: bool) -> None:
    """Pay for a teammate's or a visitor's connection. One write, none if DynamoDB throttles it.

    Raises TooManyConnections.
    """
    try:
        buckets.charge(_key(organization, of_member=of_member), _shape(ceiling), _MINUTES)
    except BucketEmpty:
        whose = "teammates" if of_member else "visitors"
        raise TooManyConnections(
            f"Your organization's plan includes {ceiling:,} live connections of {whose} at a time. Poll instead: "
            "wait for the seconds in Retry-After and try again."
        ) from None
    except Throttled:  # a limiter that cannot be written must not stop requests
        logger.warning("bucket_throttled", extra={"bucket": OrganizationBucket.__name__})


def refund(connection: LiveConnection) -> None:
    """Refund the minutes that a connection that is over did not use. One write."""
    unused = (connection.valid_until - clock.now_ms()) // MINUTE_MS
    if unused > 0:
        with suppress(Throttled):  # they come back by themselves, only later
            key = _key(connection.organization, of_member=connection.of_member)
            buckets.refund(key, _shape(connection.ceiling), unused)


def _key(organization: str, *, of_member: bool) -> Key:
    return OrganizationBucket.key_for(organization, "live" if of_member else "live_visitors")


def _shape(ceiling: int) -> buckets.Shape:
    return buckets.Shape(2 * MINUTE_US // ceiling, ceiling * _MINUTES // 2)
