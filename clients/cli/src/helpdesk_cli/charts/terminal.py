"""Charts in a terminal: a bar for each place, or lines of braille dots for many days.

Without UTF-8, or in a pipe, bars are of ASCII. A line needs braille, so there it becomes bars, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from helpdesk_cli.charts.chart import Chart, Line
from helpdesk_cli.charts.figures import figure
from helpdesk_cli.output import columns
from helpdesk_cli.text import one_line

MANY = 32
"""From so many points in time on a chart has lines unless bars are asked for: more bars fill more than a screen."""
_SHORTEST_BAR, _LONGEST_BAR = 4, 60
_TALL, _LOW = 13, 7
_BLANK = "\u2800"
"""A braille character without dots."""


@dataclass(frozen=True)
class Style:
    """What a terminal can show: how many columns, and characters beyond ASCII."""

    width: int
    unicode: bool

    @property
    def bar(self) -> str:
        """The character of bars."""
        return "█" if self.unicode else "#"

    @property
    def partial(self) -> str:
        """The character of bars that are not over."""
        return "▒" if self.unicode else "="

    @property
    def before(self) -> str:
        """The mark where the bar of the window before ends."""
        return "│" if self.unicode else "|"

    @property
    def ellipsis(self) -> str:
        """What a cut text ends with."""
        return "…" if self.unicode else "..."


def drawn(chart: Chart, style: Style, kind: str = "auto") -> Iterator[str]:
    """Return the lines of text of a chart; `kind` is bars, lines or auto."""
    yield click.style(_cut(chart.title, style.width, style), bold=True)
    if not chart.lines or not chart.places:
        yield "No rows match."
        return
    wanted = "lines" if kind == "auto" and chart.is_in_time and len(chart.places) >= MANY else kind
    if wanted == "lines" and style.unicode and len(chart.places) > 1:
        yield from _all_lines(chart, style)
    else:
        yield from _all_bars(chart, style)


def _all_bars(chart: Chart, style: Style) -> Iterator[str]:
    # A bar is short enough without its label: a subject needs the room more.
    labels = [_cut(place, style.width // (2 if chart.bucket is None else 3), style) for place in chart.places]
    left = max(columns(label) for label in labels)
    headings = ["VALUE", *(["BEFORE"] if chart.compares else [])]
    right = max(len(text) for text in [*headings, *(figure(value, chart.unit) for value in chart.figures())])
    note = " partial" if chart.partial else ""
    taken = left + 2 + right + (2 + right if chart.compares else 0) + 2 + len(note)
    length = min(max(style.width - taken, _SHORTEST_BAR), _LONGEST_BAR)
    most = max(chart.figures(), default=0)
    for line in chart.lines:
        if len(chart.lines) > 1:
            yield ""
            yield _heading(chart, line, style)
        yield (" " * left + "".join(f"  {heading:>{right}}" for heading in headings)).rstrip()
        for number, label in enumerate(labels):
            value = line.values[number]
            before = line.before[number] if line.before else None
            cells = [value, before] if chart.compares else [value]
            is_partial = number in chart.partial
            bar = _bar(value, before, most, length, style, partial=is_partial)
            text = label + " " * (left - columns(label))
            text += "".join(f"  {figure(each, chart.unit):>{right}}" for each in cells)
            yield f"{text}  {bar}{note if is_partial else ''}".rstrip()
    if chart.compares:
        yield f"{style.before} the window before"


def _bar(
    value: float | None, before: float | None, most: float, length: int, style: Style, *, partial: bool
) -> str:
    """Return a bar as long as a value's share of the largest one, with a mark at the value of the window before."""
    drawn_to = _long(value, most, length)
    bar = (style.partial if partial else style.bar) * drawn_to
    if before is None or before <= 0:
        return bar
    at = _long(before, most, length) - 1
    bar = bar.ljust(at + 1)
    return bar[:at] + style.before + bar[at + 1 :]


def _long(value: float | None, most: float, length: int) -> int:
    if value is None or value <= 0 or most <= 0:
        return 0
    return max(round(length * value / most), 1)


def _all_lines(chart: Chart, style: Style) -> Iterator[str]:
    height = _TALL if len(chart.lines) == 1 else _LOW
    lowest, most = min(0, *chart.figures(), 0), max(chart.figures(), default=0)
    most = most if most > lowest else lowest + 1
    ticks = {
        row: figure(most - (most - lowest) * row / (height - 1), chart.unit)
        for row in (0, height // 2, height - 1)
    }
    left = max(len(text) for text in ticks.values())
    width = max(min(style.width - left - 2, len(chart.places) * 2), _SHORTEST_BAR)
    for line in chart.lines:
        if len(chart.lines) > 1:
            yield ""
            yield _heading(chart, line, style)
        for row, dots in enumerate(_dots(line, chart.partial, width, height, lowest, most)):
            yield f"{ticks.get(row, ''):>{left}} {'┤' if row in ticks else '│'}{dots}".rstrip()
        yield " " * left + " └" + "─" * width
        first, last = (_cut(place, width, style) for place in (chart.places[0], chart.places[-1]))
        gap = width - columns(first) - columns(last)
        yield " " * (left + 2) + (first + " " * gap + last if gap > 0 else first)
    if chart.compares:
        yield "Dots: the window before."
    if chart.partial:
        yield f"Partial: {', '.join(chart.places[number] for number in sorted(chart.partial))}."
    if any(value is None for line in chart.lines for value in line.values):
        yield "A gap has no value."


def _dots(
    line: Line, partial: frozenset[int], width: int, height: int, lowest: float, most: float
) -> list[str]:
    """Return the rows of a line, the highest first. Nothing is a gap, and no line leads to what is partial."""
    # Imported here: most commands draw nothing.
    from plotille import Canvas  # noqa: PLC0415

    # The canvas leaves out its far edges.
    canvas = Canvas(
        width,
        height,
        xmin=0,
        xmax=(len(line.values) - 1) * (1 + 1 / (2 * width)),
        ymin=lowest,
        ymax=most + (most - lowest) / (4 * height),
    )
    for number, value in enumerate(line.before or ()):
        if value is not None:
            canvas.point(number, value)
    for number, value in enumerate(line.values):
        if value is None:
            continue
        last = line.values[number - 1] if number else None
        if last is None or number in partial:
            canvas.point(number, value)
        else:
            canvas.line(number - 1, last, number, value)
    return [str(row).replace(_BLANK, " ") for row in canvas.plot(linesep="\n").split("\n")]


def _heading(chart: Chart, line: Line, style: Style) -> str:
    figures = figure(line.total, chart.unit)
    if line.before is not None:
        figures += f", before {figure(line.total_before, chart.unit)}"
    return f"{_cut(line.label, style.width - len(figures) - 2, style)}: {figures}"


def _cut(text: str, width: int, style: Style) -> str:
    """Return a text on one line that takes at most so many columns. Without UTF-8 other characters are replaced."""
    text = one_line(text)
    if not style.unicode:
        text = text.encode("ascii", "replace").decode()
    if columns(text) <= width:
        return text
    kept = ""
    for letter in text:
        if columns(kept + letter + style.ellipsis) > width:
            break
        kept += letter
    return kept.rstrip() + style.ellipsis
