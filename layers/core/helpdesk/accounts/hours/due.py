"""When the time of a target is over: only office hours count."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from helpdesk.accounts.hours.record import MINUTES_OF_DAY, WEEKDAYS, OfficeHours
from helpdesk.platform.units import MINUTE_MS

_MOST_DAYS = 400
"""How many days are looked through. A target that isn't over by then never is, for people."""


def due_at(hours: OfficeHours, since: int, *, answered: bool) -> int | None:
    """Return when a visitor who waits since an instant must have a response (ms), None without a target.

    `answered` says that the team has answered in the conversation before.
    """
    minutes = hours.next_response_minutes if answered else hours.first_response_minutes
    return None if minutes is None else _after(hours, since, minutes * MINUTE_MS)


def _after(hours: OfficeHours, since: int, left: int) -> int | None:
    """Return the instant at which `left` ms of office hours have passed; None if that takes too many days."""
    if not any(hours.days.values()):
        return None
    zone = ZoneInfo(hours.time_zone)
    day = datetime.fromtimestamp(since / 1_000, zone).date()
    for _ in range(_MOST_DAYS):
        openings = () if day.isoformat() in hours.closed else hours.days.get(WEEKDAYS[day.weekday()], ())
        for opening in openings:
            start = max(_instant(day, opening.start, zone), since)
            length = max(_instant(day, opening.end, zone) - start, 0)
            if left <= length:
                return start + left
            left -= length
        day += timedelta(days=1)
    return None


def _instant(day: date, minute: int, zone: ZoneInfo) -> int:
    days, minute = divmod(minute, MINUTES_OF_DAY)
    at = datetime.combine(day + timedelta(days=days), time(*divmod(minute, 60)), zone)
    return round(at.timestamp() * 1_000)
