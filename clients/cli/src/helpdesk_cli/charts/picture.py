"""Charts as SVG: a picture that needs no script and nothing from elsewhere, for light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from helpdesk_cli.charts.chart import Chart, Line
from helpdesk_cli.charts.figures import figure

_WIDTH, _HEIGHT = 640, 420
_ROW = 34
"""The height of a horizontal bar with its space."""
_COLORS = (
    "#2a78c8", "#c0561a", "#2b8747", "#9a4db3", "#a87400", "#c93a58", "#15838f", "#757575",
)  # fmt: skip
"""Each has a contrast of at least 3 to 1 on both backgrounds (WCAG 2.2, 1.4.11)."""
_LIGHT, _DARK = ("#ffffff", "#1f2328", "#c8ccd1"), ("#16181d", "#e8eaed", "#4a4f57")
"""Background, text, and lines of the grid."""
_MAX_LABELS, _MAX_TICKS = 5, 6
_MANY = 62
"""With more points there are no dots on a line, unless it has gaps: a point between two gaps would be lost."""
_LONGEST = 36
_PARTIAL = "fill-opacity: 0.35; stroke-dasharray: 4 3"
_FEW = 3
"""With fewer days there is no line to see, so they are bars."""


def svg(chart: Chart) -> str:
    """Return a chart as an SVG document."""
    # Imported here: it takes a quarter of a second, and most commands draw nothing.
    from pygal import Bar, HorizontalBar  # noqa: PLC0415
    from pygal import Line as Lines  # noqa: PLC0415

    named = _named(chart)
    if chart.bucket is None:
        kind, height = HorizontalBar, 130 + _ROW * max(len(chart.places), 2) * (2 if chart.compares else 1)
    else:
        kind = Lines if chart.is_in_time and len(chart.places) >= _FEW else Bar
        height = _HEIGHT + 22 * ((len(named) + 1) // 2)
    # Horizontal bars begin at the bottom.
    step = -1 if kind is HorizontalBar else 1
    gaps = any(value is None for _, values, _ in named for value in values)
    picture = kind(
        style=_style(named),
        css=["file://style.css", "file://graph.css", f"inline:{_own_css()}"],
        js=(),
        width=_WIDTH,
        height=height,
        title=_clean(_short(chart.title, 110)),
        x_title=_clean(_partial(chart)) or None,
        show_legend=len(named) > 1,
        legend_at_bottom=True,
        legend_at_bottom_columns=2,
        legend_box_size=12,
        truncate_legend=-1,
        truncate_label=-1,
        x_labels=[_clean(_short(place, _LONGEST)) for place in chart.places][::step],
        x_labels_major_every=None if kind is HorizontalBar else max(-(-len(chart.places) // _MAX_LABELS), 1),
        show_minor_x_labels=kind is HorizontalBar,
        y_labels=ticks(chart.figures(), chart.unit) if chart.places else None,
        value_formatter=lambda value: figure(value, chart.unit),
        allow_interruptions=True,
        show_dots=gaps or len(chart.places) <= _MANY,
        dots_size=2.5,
        include_x_axis=True,
        margin=14,
        margin_right=14 if kind is HorizontalBar else 46,
        show_x_labels=bool(chart.places),
        show_y_labels=bool(chart.places),
        spacing=10,
        no_data_text="No values." if chart.places else "No rows match.",
        disable_xml_declaration=True,
        pretty_print=False,
    )
    picture.add_xml_filter(lambda root: _accessible(root, chart))
    for name, values, before in named if chart.places else ():
        shown = [_value(value, number in chart.partial and not before) for number, value in enumerate(values)]
        dashes = {"dasharray": "3, 5"} if before and kind is Lines else {}
        picture.add(_clean(_short(name, _LONGEST)), shown[::step], stroke_style=dashes)
    return str(picture.render(is_unicode=True)) + "\n"


def _named(chart: Chart) -> list[tuple[str, tuple[float | None, ...], bool]]:
    """Return each series with its name, its values, and whether they are of the window before."""
    found = []
    for line in chart.lines:
        found.append((line.label, line.values, False))
        if line.before is not None:
            found.append((f"{line.label}, before", line.before, True))
    return found


def _value(value: float | None, partial: bool) -> Any:  # noqa: FBT001
    if value is None or not partial:
        return value
    return {"value": value, "label": "partial", "style": _PARTIAL}


def _partial(chart: Chart) -> str:
    """Return which places are partial, in words."""
    places = [chart.places[number] for number in sorted(chart.partial)]
    return f"Partial: {', '.join(places)}" if places else ""


def ticks(values: list[float], unit: str) -> list[float]:
    """Return the values that the axis names: round ones, from zero to the first that is not below any value."""
    if unit == "percent":
        return [0, 25, 50, 75, 100]
    lowest, highest = min(values, default=0), max(values, default=0)
    reach = max(highest, 0) - min(lowest, 0)
    whole = all(float(value).is_integer() for value in values)
    step = next((each for each in _steps(unit, whole=whole) if reach / each <= _MAX_TICKS), reach or 1)
    first = math.floor(min(lowest, 0) / step)
    last = max(math.ceil(max(highest, 0) / step), first + 1)
    return [number * step for number in range(first, last + 1)]


def _steps(unit: str, *, whole: bool) -> Iterator[float]:
    """Return possible distances between ticks, the smallest first."""
    if unit == "milliseconds":
        second, minute, hour, day = 1_000, 60_000, 3_600_000, 86_400_000
        yield from (1, 2, 5, 10, 20, 50, 100, 200, 500)
        for length, counts in (
            (second, (1, 2, 5, 10, 15, 30)),
            (minute, (1, 2, 5, 10, 15, 30)),
            (hour, (1, 2, 3, 6, 12)),
        ):
            yield from (count * length for count in counts)
        yield from (count * day * 10**power for power in range(9) for count in (1, 2, 5))
        return
    yield from (count * 10.0**power for power in range(0 if whole else -3, 16) for count in (1, 2, 5))


def _style(named: list[tuple[str, tuple[float | None, ...], bool]]) -> Any:
    from pygal.style import Style  # noqa: PLC0415

    colors, number = [], -1
    for _, _, before in named:
        number += not before
        color = _COLORS[number % len(_COLORS)]
        colors.append(_faded(color) if before else color)
    background, text, grid = _LIGHT
    return Style(
        background=background, plot_background=background, foreground=text, foreground_strong=text,
        foreground_subtle=grid, opacity=".9", opacity_hover="1", stroke_width="2", stroke_width_hover="2",
        transition="0s", colors=tuple(colors or _COLORS),
        font_family="system-ui, sans-serif", label_font_size=14, major_label_font_size=14, title_font_size=18,
        legend_font_size=14, no_data_font_size=20, guide_stroke_dasharray="none", major_guide_stroke_dasharray="none",
    )  # fmt: skip


def _faded(color: str) -> str:
    """Return a color half way to grey."""
    parts = [int(color[place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{(part + 0xA0) // 2:02x}" for part in parts)


def _own_css() -> str:
    background, text, grid = _DARK
    return (
        f".axis .guides .line{{stroke:{_LIGHT[2]}!important}}"
        "@media (prefers-color-scheme:dark){"
        f"svg,.background{{background-color:{background}!important;fill:{background}!important}}"
        f"text,.title,tspan{{fill:{text}!important}}"
        f".axis .line{{stroke:{text}!important}}"
        f".axis .guides .line{{stroke:{grid}!important}}"
        "}"
    )


def _accessible(root: Any, chart: Chart) -> Any:
    """Name and describe the picture for those who hear it, and take out what needs a script."""
    for parent in list(root.iter()):
        for child in list(parent):
            if str(child.tag).rpartition("}")[2] == "script" or not isinstance(child.tag, str):
                parent.remove(child)
    title = next(each for each in root if each.tag == "title")
    root.remove(title)
    identifier = root.attrib["id"]
    title.text, title.attrib["id"] = _clean(chart.title), f"{identifier}-title"
    description = title.makeelement("desc", {"id": f"{identifier}-description"})
    description.text = _clean(described(chart))
    root.insert(0, title)
    root.insert(1, description)
    root.attrib["role"] = "img"
    root.attrib["aria-labelledby"] = f"{identifier}-title {identifier}-description"
    return root


def described(chart: Chart) -> str:
    """Return what a chart shows, in sentences."""
    if not chart.lines or not chart.places:
        return "No rows match."
    sentences = [_summary(chart, line) for line in chart.lines]
    if chart.partial:
        sentences.append(f"{_partial(chart)}.")
    return " ".join(sentences)


def _summary(chart: Chart, line: Line) -> str:
    known = [(value, number) for number, value in enumerate(line.values) if value is not None]
    if not known:
        return f"{line.label}: no values."
    (low, lowest), (high, highest) = min(known, key=lambda one: one[0]), max(known, key=lambda one: one[0])
    total = f" {figure(line.total, chart.unit)} in all;" if line.total is not None else ""
    return (
        f"{line.label}:{total} highest {figure(high, chart.unit)} ({chart.places[highest]}), "
        f"lowest {figure(low, chart.unit)} ({chart.places[lowest]}), of {len(known)} values."
    )


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _clean(text: str) -> str:
    """Return text without characters that XML does not have. Escaping the others is the library's part."""
    return "".join(letter if letter >= " " and letter not in "\ufffe\uffff" else " " for letter in text)
