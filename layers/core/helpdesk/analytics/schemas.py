"""Requests and responses of the analytics routes (Specification: Satisfaction window)."""

from typing import Annotated

from pydantic import AfterValidator, Field

from helpdesk.api.http.schemas import Answer, Instant, Query, schema_hint

WINDOWS = (7, 30, 90)
"""The possible lengths of a window, in days."""

MAX_RATINGS = 2_000
"""How many ratings are counted, the newest of the window (Specification: Limits)."""


def _window(value: int) -> int:
    if value not in WINDOWS:
        raise ValueError("must be 7, 30 or 90")
    return value


class SatisfactionQuery(Query):
    """The parameters of GET /analytics/satisfaction."""

    start: Annotated[Instant | None, Field(alias="from")] = None
    """The first instant of the window, in milliseconds since 1970; `days` ago unless given."""
    days: Annotated[int, AfterValidator(_window), schema_hint(enum=list(WINDOWS))] = 30
    """How long the window is: 7, 30 or 90 days."""


class Satisfaction(Answer):
    """GET /analytics/satisfaction: the ratings of a window by day, counted from its start."""

    per_day_sum: list[int]
    """The stars of each day added up; as many entries as days."""
    per_day_count: list[int]
    """How many ratings each day had."""
    average: float | None
    """Stars for each rating; null if there is none."""
    count: int
    """How many ratings are counted."""
    distribution: Annotated[list[int], schema_hint(minItems=5, maxItems=5)]
    """How many ratings gave one star, two, and so on to five."""
    capped: bool
    """Whether the window holds more than 2,000 ratings, in which case only the newest 2,000 are counted."""
