"""Request and response models of office hours and response targets."""

from typing import Annotated

from pydantic import Field

from helpdesk.accounts.hours.record import MAX_CLOSED_DATES, MAX_OPENINGS, MAX_TARGET_MINUTES
from helpdesk.api.http.schemas import Answer, Body, schema_hint

Clock = Annotated[str, schema_hint(pattern="^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$", examples=["09:00"])]
ZoneName = Annotated[str, schema_hint(examples=["Europe/Berlin"])]
ClosedDates = Annotated[list[str], schema_hint(maxItems=MAX_CLOSED_DATES)]
Minutes = Annotated[int, schema_hint(minimum=1, maximum=MAX_TARGET_MINUTES)]


class OpeningInput(Body):
    """A time of a day at which your team is there."""

    start: Annotated[Clock, Field(alias="from")]
    """When it begins, such as `09:00`."""
    end: Annotated[Clock, Field(alias="to")]
    """When it ends, such as `17:00`, or `24:00` for midnight."""


OpeningInputs = Annotated[list[OpeningInput], schema_hint(maxItems=MAX_OPENINGS)]


class DaysInput(Body):
    """The hours of weekdays. A day that you omit stays as it is; an empty list closes it."""

    monday: OpeningInputs | None = None
    tuesday: OpeningInputs | None = None
    wednesday: OpeningInputs | None = None
    thursday: OpeningInputs | None = None
    friday: OpeningInputs | None = None
    saturday: OpeningInputs | None = None
    sunday: OpeningInputs | None = None


class HoursUpdate(Body):
    """The body of PATCH /organization/hours; omitted fields stay as they are."""

    time_zone: ZoneName | None = None
    """A name of the IANA time zone database, such as `Europe/Berlin`."""
    days: DaysInput | None = None
    """Up to 5 times a day, which don't overlap, the earliest first."""
    closed: ClosedDates | None = None
    """All dates on which your team isn't there, such as `2026-12-25`: up to 200. They replace the former ones."""


class OpeningShape(Answer):
    """A time of a day at which your team is there."""

    start: Annotated[Clock, Field(alias="from")]
    end: Annotated[Clock, Field(alias="to")]


class Days(Answer):
    """The hours of each weekday; an empty list is a day on which your team isn't there."""

    monday: list[OpeningShape]
    tuesday: list[OpeningShape]
    wednesday: list[OpeningShape]
    thursday: list[OpeningShape]
    friday: list[OpeningShape]
    saturday: list[OpeningShape]
    sunday: list[OpeningShape]


class Hours(Answer):
    """GET and PATCH /organization/hours."""

    time_zone: ZoneName
    """The time zone of the hours and dates."""
    days: Days
    """All day, every day, until you set them."""
    closed: ClosedDates
    """Dates on which your team isn't there, the earliest first."""


class Targets(Answer):
    """GET and PATCH /organization/targets. Only office hours count."""

    first_response_minutes: Minutes | None
    """How long a visitor may wait for the team's first response; null for no target."""
    next_response_minutes: Minutes | None
    """How long a visitor may wait for each further response; null for no target."""


class TargetsUpdate(Body):
    """The body of PATCH /organization/targets; omitted fields stay as they are."""

    first_response_minutes: Minutes | None = None
    """1 to 43,200 minutes of office hours; null removes the target."""
    next_response_minutes: Minutes | None = None
    """1 to 43,200 minutes of office hours; null removes the target."""
