"""Windows of time and their buckets, in UTC. A window and a bucket include their start and not their end.

Specification: POST /analytics/records, days, from and query.bucket. Times are in milliseconds since 1970.
"""

from bisect import bisect_right
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from helpdesk.platform.ids import MAX_MS
from helpdesk.platform.units import DAY_MS, HOUR_MS

_DAYS_A_WEEK, _HOURS_A_DAY = 7, 24
_MONDAY_OFFSET = 3  # 1970 began on a Thursday


class Bucket(StrEnum):
    """The lengths into which a window is divided."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    HOUR = "hour"
    WEEKDAY = "weekday"

    @property
    def needs_range(self) -> bool:
        """Whether it divides a window, and not the day or the week."""
        return self in {Bucket.DAY, Bucket.WEEK, Bucket.MONTH}


class Window(NamedTuple):
    """From `start` to before `end`."""

    start: int
    end: int

    def before(self) -> "Window":
        """Return the window of the same length that ends where this one starts."""
        return Window(self.start - (self.end - self.start), self.start)


ALL_TIME = Window(0, MAX_MS + 1)


class Slot(NamedTuple):
    """A bucket of a window. `partial` means that the window cuts it, or that it is not over.

    Of hours and weekdays `at` is the number, from 0 at midnight or on Monday, and `end` the next number.
    """

    at: int
    end: int
    partial: bool


def window_of(days: int, start: int | None, now: int) -> Window:
    """Return the window of a request: `days` days from `start`, or the last `days` of which today (UTC) is one."""
    if start is None:
        start = _midnight(now) - (days - 1) * DAY_MS
    return Window(start, start + days * DAY_MS)


def slots(bucket: Bucket, window: Window, now: int) -> list[Slot]:
    """Return every bucket of a window in its order. Days are counted from the window's start."""
    if bucket is Bucket.HOUR:
        return [Slot(hour, hour + 1, partial=False) for hour in range(_HOURS_A_DAY)]
    if bucket is Bucket.WEEKDAY:
        return [Slot(day, day + 1, partial=False) for day in range(_DAYS_A_WEEK)]
    if bucket is Bucket.DAY:
        bounds = list(range(window.start, window.end + 1, DAY_MS))
    else:
        bounds = [_start_of(bucket, window.start)]
        while bounds[-1] < window.end:
            bounds.append(_next(bucket, bounds[-1]))
    found = []
    for start, end in pairwise(bounds):
        at, until = max(start, window.start), min(end, window.end)
        found.append(Slot(at, until, partial=(at, until) != (start, end) or end > now))
    return found


def placer(bucket: Bucket, found: list[Slot], window: Window) -> Callable[[int], int]:
    """Return the function from an instant of the window to the place of its bucket."""
    if bucket is Bucket.HOUR:
        return lambda at: at // HOUR_MS % _HOURS_A_DAY
    if bucket is Bucket.WEEKDAY:
        return lambda at: (at // DAY_MS + _MONDAY_OFFSET) % _DAYS_A_WEEK
    if bucket is Bucket.DAY:
        return lambda at: (at - window.start) // DAY_MS
    starts = [slot.at for slot in found]
    return lambda at: bisect_right(starts, at) - 1


def month_of(at: int) -> str:
    """Return the month of an instant, such as 2026-11."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{moment.year:04d}-{moment.month:02d}"


def months(window: Window) -> list[str]:
    """Return the months of a window, the newest first."""
    found = []
    start = _start_of(Bucket.MONTH, window.start)
    while start < window.end:
        found.append(month_of(start))
        start = _next(Bucket.MONTH, start)
    return found[::-1]


def _midnight(at: int) -> int:
    return at // DAY_MS * DAY_MS


def _start_of(bucket: Bucket, at: int) -> int:
    if bucket is Bucket.WEEK:
        day = at // DAY_MS
        return (day - (day + _MONDAY_OFFSET) % _DAYS_A_WEEK) * DAY_MS
    moment = datetime.fromtimestamp(_midnight(at) // 1000, UTC)
    return int(moment.replace(day=1).timestamp()) * 1000


def _next(bucket: Bucket, start: int) -> int:
    if bucket is Bucket.WEEK:
        return start + _DAYS_A_WEEK * DAY_MS
    # No month is longer than 31 days, and 32 days after its start is always in the next one.
    return _start_of(Bucket.MONTH, start + 32 * DAY_MS)
