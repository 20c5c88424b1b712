"""An organization's office hours and response targets, in one item that every list of conversations reads."""

from helpdesk.platform.record import Record, field
from helpdesk.storage.stored import Stored

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MINUTES_OF_DAY = 24 * 60
MAX_OPENINGS = 5
MAX_CLOSED_DATES = 200
MAX_TARGET_MINUTES = 30 * MINUTES_OF_DAY


class Opening(Record):
    """A time of a day at which the team is there: minutes since midnight, up to 1,440."""

    start: int
    end: int


_ALWAYS = {day: (Opening(0, MINUTES_OF_DAY),) for day in WEEKDAYS}


class OfficeHours(Stored, kw_only=True):
    """Hours by weekday, in their order, and targets in minutes of these hours. `closed` are dates, such as 2026-12-25.

    Without settings, the team is there all the time and has no targets. `version` is then 0.
    """

    PK, SK = "ORG#{organization}#HOURS", "HOURS"

    organization: str
    time_zone: str = "UTC"
    days: dict[str, tuple[Opening, ...]] = field(default_factory=lambda: dict(_ALWAYS))
    closed: tuple[str, ...] = ()
    first_response_minutes: int | None = None
    next_response_minutes: int | None = None
    version: int = 0
