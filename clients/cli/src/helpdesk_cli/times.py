"""The times that a person gives on the command line, such as `3h`, `tomorrow 9:00` or `2026-12-01 14:30 +01:00`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

FORMS = "a duration such as 30m, 3h, 2d or 1w, or a time such as 18:00, 'tomorrow 9:00' or '2026-12-01 14:30'"
"""What `instant` reads, for help texts and error messages."""

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DURATION = re.compile(
    r"(?:(?P<weeks>\d+)w)?(?:(?P<days>\d+)d)?(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m)?", re.ASCII
)
_TIME = re.compile(
    rf"(?P<day>today|tomorrow|{'|'.join(_WEEKDAYS)}|\d{{4}}-\d\d-\d\d)?(?:(?:^|\s+|(?<=\d)t)"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<zone>z|utc|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_MORNING = time(9)


def instant(text: str, now: float) -> int:
    """Return a time as milliseconds since 1970; `now` is in seconds. Raises ValueError.

    A time without a zone is this machine's. A time without a day is its next occurrence, and a day without a time
    begins at 9:00.
    """
    words = text.strip().lower()
    if not words:
        raise ValueError
    try:
        return round(_seconds(words, now) * 1000)
    except (OverflowError, OSError) as error:  # a time beyond the calendar
        raise ValueError from error


def age(seconds: float) -> str:
    """Return a length of time in its largest unit, such as `3 h`."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def _seconds(words: str, now: float) -> float:
    duration = _DURATION.fullmatch(words)
    if duration is not None:
        amounts = {name: int(amount) for name, amount in duration.groupdict().items() if amount is not None}
        return now + timedelta(**amounts).total_seconds()
    found = _TIME.fullmatch(words)
    if found is None:
        raise ValueError
    day, zone = found["day"], _zone(found["zone"])
    if found["hour"] is not None:
        at = time(int(found["hour"]), int(found["minute"]), int(found["second"] or 0))
    elif day != "today":
        at = _MORNING
    else:
        raise ValueError
    today = datetime.fromtimestamp(now, zone).date()
    when = _at(_date(day, today), at, zone)
    if day is None and when <= now:
        when = _at(today + timedelta(days=1), at, zone)
    return when


def _date(day: str | None, today: date) -> date:
    """Return the date of a day's name. A weekday is the next one after today."""
    if day is None or day == "today":
        return today
    if day == "tomorrow":
        return today + timedelta(days=1)
    if day in _WEEKDAYS:
        return today + timedelta(days=(_WEEKDAYS.index(day) - today.weekday() - 1) % 7 + 1)
    return date.fromisoformat(day)


def _at(day: date, at: time, zone: tzinfo | None) -> float:
    return datetime.combine(day, at, zone).timestamp()  # without a zone: this machine's


def _zone(text: str | None) -> tzinfo | None:
    if text is None:
        return None
    if text in {"z", "utc"}:
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)
