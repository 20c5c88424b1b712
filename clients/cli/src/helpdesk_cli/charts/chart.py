"""A chart, from what the API returns: places along an axis, and series with a value or nothing at each place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from helpdesk_cli.text import one_line

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY_MS = 86_400_000
IN_TIME = frozenset({"day", "week", "month"})


@dataclass(frozen=True)
class Line:
    """A series: a value for each place of the chart, None for nothing. `before` are those of the window before."""

    label: str
    values: tuple[float | None, ...]
    total: float | None = None
    before: tuple[float | None, ...] | None = None
    total_before: float | None = None


@dataclass(frozen=True)
class Chart:
    """A chart. `partial` has the numbers of places that are not over, or that the window cuts."""

    title: str
    unit: str
    places: tuple[str, ...]
    lines: tuple[Line, ...]
    partial: frozenset[int] = frozenset()
    bucket: str | None = None

    @property
    def is_in_time(self) -> bool:
        """Whether the places are days, weeks or months, so that a line between them means something."""
        return self.bucket in IN_TIME

    @property
    def compares(self) -> bool:
        """Whether there are values of the window before."""
        return any(line.before is not None for line in self.lines)

    def figures(self) -> list[float]:
        """Return every value of the chart."""
        return [
            value
            for line in self.lines
            for value in (*line.values, *(line.before or ()))
            if value is not None
        ]


def chart_of(title: str, answer: Mapping[str, Any], bucket: str | None) -> Chart:
    """Return the chart of what exploring returned."""
    title, series, previous = one_line(title), answer["series"], answer["previous"]
    unit = answer.get("unit", "number")
    if bucket is None:
        before = None if previous is None else tuple(one["total"] for one in previous)
        places = tuple(one_line(one["label"]) for one in series)
        only = Line("All", tuple(one["total"] for one in series), before=before)
        return Chart(title, unit, places, (only,) if places else ())
    points = series[0]["points"] if series else []
    lines = tuple(
        Line(
            label=one_line(one["label"]),
            values=_values(one),
            total=one["total"],
            before=None if previous is None else _fitted(_values(previous[number]), len(one["points"])),
            total_before=None if previous is None else previous[number]["total"],
        )
        for number, one in enumerate(series)
    )
    partial = frozenset(number for number, point in enumerate(points) if point["partial"])
    return Chart(title, unit, tuple(place(point["at"], bucket) for point in points), lines, partial, bucket)


def merged(title: str, charts: Sequence[tuple[str, Chart]]) -> list[Chart]:
    """Return charts with names as one, if each is of one series over the same places and in the same unit."""
    first = charts[0][1]
    same = all(
        len(chart.lines) == 1 and (chart.unit, chart.places) == (first.unit, first.places)
        for _, chart in charts
    )
    if not same or len(charts) == 1:
        return [chart for _, chart in charts]
    lines = tuple(
        Line(name, line.values, line.total, line.before, line.total_before)
        for name, chart in charts
        for line in chart.lines
    )
    return [Chart(title, first.unit, first.places, lines, first.partial, first.bucket)]


def place(at: int, bucket: str) -> str:
    """Return what a bucket is called: of a day that begins at no midnight of UTC its first instant."""
    if bucket == "weekday":
        return _DAYS[at]
    if bucket == "hour":
        return f"{at:02d}:00"
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.strftime("%Y-%m-%d" if at % _DAY_MS == 0 else "%Y-%m-%d %H:%MZ")


def _values(series: Mapping[str, Any]) -> tuple[float | None, ...]:
    return tuple(point["value"] for point in series["points"])


def _fitted(values: tuple[float | None, ...], count: int) -> tuple[float | None, ...]:
    """Return values of the window before beside those of the window. It can have a week or month more or less."""
    return values[:count] + (None,) * (count - len(values))
