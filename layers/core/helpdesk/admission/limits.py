"""The table of request limits (Specification: Limits, Rate limits).

Three classes of request each draw from a token bucket of their own; the plan and its add-ons choose the tier.
"""

from enum import StrEnum
from typing import NamedTuple

VERSION = "2026-11-20"
"""The date of this table, answered by GET /billing/limits; it changes with any number below."""


class RequestClass(StrEnum):
    """What a request is charged as."""

    READ = "read"
    WRITE = "write"
    UPLOAD = "upload"


class Plan(StrEnum):
    """What an organization pays for."""

    EXPLORE = "explore"
    STANDARD = "standard"
    PRO = "pro"


class Tier(StrEnum):
    """A row of the limits table."""

    EXPLORE = "explore"
    STANDARD = "standard"
    HIGHER = "higher"
    HIGHEST = "highest"
    UNLIMITED = "unlimited"


class Rate(NamedTuple):
    """A token bucket's shape: the sustained rate per minute, and how many may come at once."""

    per_minute: int
    burst: int

    @property
    def interval_us(self) -> int:
        """Microseconds in which one more request is earned."""
        return 60_000_000 // self.per_minute


_READ, _WRITE, _UPLOAD = RequestClass.READ, RequestClass.WRITE, RequestClass.UPLOAD

RATES: dict[Tier, dict[RequestClass, Rate]] = {
    Tier.EXPLORE: {_READ: Rate(120, 20), _WRITE: Rate(30, 10), _UPLOAD: Rate(5, 2)},
    Tier.STANDARD: {_READ: Rate(6_000, 1_000), _WRITE: Rate(1_200, 300), _UPLOAD: Rate(300, 100)},
    Tier.HIGHER: {_READ: Rate(12_000, 2_000), _WRITE: Rate(2_400, 600), _UPLOAD: Rate(600, 200)},
    Tier.HIGHEST: {_READ: Rate(24_000, 4_000), _WRITE: Rate(4_800, 1_200), _UPLOAD: Rate(1_200, 400)},
}

PERSON_RATES: dict[RequestClass, Rate] = {_READ: Rate(600, 100), _WRITE: Rate(120, 30)}
"""What a person may ask for that concerns no organization, or not yet."""


def tier_of(plan: Plan, *, api_limits: bool, unlimited_api: bool) -> Tier:
    """Return the tier that a plan with its add-ons gives.

    The API limits add-on lifts Standard and Pro by one tier each; Explore cannot have it, so it changes nothing
    there. The unlimited add-on overrides all.
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


def rate_of(tier: Tier, request_class: RequestClass, *, fair_use_per_minute: int) -> Rate:
    """Return the bucket of a class in a tier; the unlimited tier's is the fair-use threshold, a minute at once."""
    if tier is Tier.UNLIMITED:
        return Rate(fair_use_per_minute, fair_use_per_minute)
    return RATES[tier][request_class]
