"""The table of rate limits (Specification: Limits, Rate limits).

Each of the three request classes has its own token bucket. The plan and its add-ons determine the tier.
An organization's `Allowance` keeps the numbers of its tier. It gets those of this table when it is created, whenever
its tier changes (`accounts.organizations.repository`), and after a change of this table with one of its next charges.
"""

from enum import StrEnum
from typing import NamedTuple

VERSION = "2026-11-20"
"""The date of this table, which GET /billing/limits returns. Update it with any number below."""


class RequestClass(StrEnum):
    """The class that a request is charged to."""

    READ = "read"
    WRITE = "write"
    UPLOAD = "upload"


class Plan(StrEnum):
    """An organization's plan."""

    EXPLORE = "explore"
    STANDARD = "standard"
    PRO = "pro"


class Tier(StrEnum):
    """A row of the rate limit table."""

    EXPLORE = "explore"
    STANDARD = "standard"
    HIGHER = "higher"
    HIGHEST = "highest"
    UNLIMITED = "unlimited"


class Rate(NamedTuple):
    """A token bucket's shape: the sustained rate per minute, and the burst."""

    per_minute: int
    burst: int

    @property
    def interval_us(self) -> int:
        """The microseconds that earn one request."""
        return 60_000_000 // self.per_minute


_READ, _WRITE, _UPLOAD = RequestClass.READ, RequestClass.WRITE, RequestClass.UPLOAD

RATES: dict[Tier, dict[RequestClass, Rate]] = {
    Tier.EXPLORE: {_READ: Rate(120, 20), _WRITE: Rate(30, 10), _UPLOAD: Rate(5, 2)},
    Tier.STANDARD: {_READ: Rate(6_000, 1_000), _WRITE: Rate(1_200, 300), _UPLOAD: Rate(300, 100)},
    Tier.HIGHER: {_READ: Rate(12_000, 2_000), _WRITE: Rate(2_400, 600), _UPLOAD: Rate(600, 200)},
    Tier.HIGHEST: {_READ: Rate(24_000, 4_000), _WRITE: Rate(4_800, 1_200), _UPLOAD: Rate(1_200, 400)},
}

FAIR_USE = Rate(60_000, 60_000)
"""The unlimited tier's fair-use threshold, of each class: a minute at once."""

PERSON_RATES: dict[RequestClass, Rate] = {_READ: Rate(600, 100), _WRITE: Rate(120, 30)}
"""The limits of a person's requests outside an organization."""


def tier_of(plan: Plan, *, api_limits: bool, unlimited_api: bool) -> Tier:
    """Return the tier of a plan with its add-ons.

    The API limits add-on raises Standard and Pro by one tier. Explore cannot have it, so it has no effect there. The
    unlimited add-on overrides everything else.
    """
    if unlimited_api:
        return Tier.UNLIMITED
    match plan:
        case Plan.EXPLORE:
            return Tier.EXPLORE
        case Plan.STANDARD:
            return Tier.HIGHER if api_limits else Tier.STANDARD
        case Plan.PRO:
            return Tier.HIGHEST if api_limits else Tier.HIGHER


def rate_of(tier: Tier, request_class: RequestClass) -> Rate:
    """Return the bucket of a class in a tier; the unlimited tier's is the fair-use threshold."""
    return FAIR_USE if tier is Tier.UNLIMITED else RATES[tier][request_class]
