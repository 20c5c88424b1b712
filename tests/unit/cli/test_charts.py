"""Charts: figures in words, bars and lines in a terminal, pictures, and tables for spreadsheets."""

import csv
import io
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpdesk_cli.charts.chart import Chart, Line, chart_of, merged
from helpdesk_cli.charts.figures import figure
from helpdesk_cli.charts.picture import svg, ticks
from helpdesk_cli.charts.tables import COLUMNS, csv_of
from helpdesk_cli.charts.terminal import Style, drawn
from helpdesk_cli.output import columns
from tests.support import effort
from tests.support.rules import for_each

DAY = 86_400_000
SUNDAY = 1_763_856_000_000  # 2025-11-23T00:00:00Z
WIDE, PLAIN = Style(80, unicode=True), Style(60, unicode=False)
HOSTILE = [
    "<script>alert(1)</script>", '"><image href="https://evil.example/x">', "]]>&amp;<!--", "\x1b[2J\x07", "a\x00b\x0b",
    "=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\u202egnp.exe", 'a,b;c"d', "漢字" * 40, "x" * 500, "", "  ", "\ufffe",
    "__other", "line\r\nbreak",
]  # fmt: skip


def explored(
    values: list[float | None], label: str = "All", before: list[float | None] | None = None, **rest: Any
) -> dict[str, Any]:
    """Return what exploring days returns for one series."""

    def series(some: list[float | None], start: int) -> dict[str, Any]:
        points: list[dict[str, Any]] = [
            {"at": start + number * DAY, "end": start + (number + 1) * DAY, "value": value, "partial": False}
            for number, value in enumerate(some)
        ]
        known = [value for value in some if value is not None]
        return {"key": label, "label": label, "total": sum(known) if known else None, "points": points}

    present = series(values, SUNDAY)
    present["points"][-1]["partial"] = True
    previous = None if before is None else [series(before, SUNDAY - len(values) * DAY)]
    return {"unit": "number", "series": [present], "previous": previous, "capped": False, **rest}


def totals(*found: tuple[str, float | None], **rest: Any) -> dict[str, Any]:
    """Return what exploring groups returns."""
    series: list[dict[str, Any]] = [
        {"key": label, "label": label, "total": total, "points": []} for label, total in found
    ]
    return {"unit": "number", "series": series, "previous": None, "capped": False, **rest}


@for_each("value, unit, shown", [
    (None, "number", "-"), (0, "number", "0"), (1_234, "number", "1,234"), (4.3567, "number", "4.36"),
    (2.0, "number", "2"), (57.142, "percent", "57.1 %"), (100, "percent", "100 %"), (0, "milliseconds", "0 ms"),
    (350, "milliseconds", "350 ms"), (1_000, "milliseconds", "1 s"), (12_340, "milliseconds", "12.3 s"),
    (125_000, "milliseconds", "2 min 5 s"), (120_000, "milliseconds", "2 min"), (59_999, "milliseconds", "60 s"),
    (11_520_000, "milliseconds", "3 h 12 min"), (187_200_000, "milliseconds", "2 d 4 h"),
    (-125_000, "milliseconds", "-2 min 5 s"), (86_405_000, "milliseconds", "1 d"),
])  # fmt: skip
def test_a_figure_is_in_its_unit(value: float | None, unit: str, shown: str) -> None:
    assert figure(value, unit) == shown


def test_bars_show_values_gaps_the_window_before_and_what_is_partial() -> None:
    chart = chart_of("By day", explored([10, None, 0, 5], before=[5, 20, None, 0]), "day")
    assert list(drawn(chart, PLAIN))[1:] == [
        "             VALUE  BEFORE",
        "2025-11-23      10       5  #####|######",
        "2025-11-24       -      20                         |",
        "2025-11-25       0       -",
        "2025-11-26       5       0  ====== partial",
        "| the window before",
    ]


def test_groups_without_points_are_one_bar_each_with_the_longest_for_the_largest() -> None:
    chart = chart_of("By subject", totals(("Refunds", 40), ("None", 1), ("Other", None)), None)
    rows = list(drawn(chart, Style(40, unicode=True)))[2:]
    assert rows == [
        "Refunds     40  ████████████████████████",
        "None         1  █",
        "Other        -",
    ]


def test_many_days_are_a_line_where_the_terminal_has_utf_8_and_bars_elsewhere() -> None:
    values: list[float | None] = [number % 7 for number in range(40)]
    values[10:13] = [None, None, None]
    chart = chart_of("By day", explored(values), "day")
    lines = list(drawn(chart, WIDE))
    assert len(lines) == 1 + 13 + 2 + 2
    assert lines[1].startswith("6 ┤")
    assert lines[-4] == "  └" + "─" * 77
    assert lines[-2:] == ["Partial: 2026-01-01.", "A gap has no value."]
    canvas = [line[3:].ljust(77) for line in lines[1:14]]
    # Places are two columns apart, a little less: nothing is drawn between the ninth and the thirteenth.
    blank = [column for column in range(77) if all(row[column] == " " for row in canvas)]
    assert {19, 20, 21, 22, 23} <= set(blank)
    assert not {0, 10, 40, 60} & set(blank)
    assert sum("#" in line for line in drawn(chart, PLAIN)) == 30
    assert any("█" in line for line in drawn(chart, WIDE, "bars"))


def test_queries_of_one_series_over_the_same_days_become_one_chart() -> None:
    charts = [
        ("median", chart_of("t", explored([1, 2]), "day")),
        ("p90", chart_of("t", explored([3, 4]), "day")),
    ]
    [chart] = merged("Both", charts)
    assert [(line.label, line.values) for line in chart.lines] == [("median", (1, 2)), ("p90", (3, 4))]
    assert list(drawn(chart, PLAIN))[1:4] == ["", "median: 3", "            VALUE"]


def test_a_chart_of_nothing_says_so() -> None:
    nothing = chart_of("Empty", totals(), None)
    assert list(drawn(nothing, PLAIN))[1:] == ["No rows match."]
    assert "No rows match." in svg(nothing)
    gaps = chart_of("Gaps", explored([None] * 40), "day")
    assert len(list(drawn(gaps, WIDE))) == 18
    assert "No values." in svg(gaps)


@for_each("values, unit, expected", [
    ([], "number", [0, 1]), ([3], "number", [0, 1, 2, 3]), ([0, 40], "number", [0, 10, 20, 30, 40]),
    ([0.5], "number", [0, 0.1, 0.2, 0.3, 0.4, 0.5]), ([7], "percent", [0, 25, 50, 75, 100]),
    ([200_000], "milliseconds", [0, 60_000, 120_000, 180_000, 240_000]), ([-2, 2], "number", [-2, -1, 0, 1, 2]),
])  # fmt: skip
def test_an_axis_names_round_values(values: list[float], unit: str, expected: list[float]) -> None:
    assert [round(tick, 9) for tick in ticks(values, unit)] == expected


def _pictures() -> list[str]:
    named = [(name, number) for number, name in enumerate(HOSTILE)]
    hostile = chart_of("".join(HOSTILE), totals(*named), None)
    days = [
        Chart(
            each,
            "percent",
            ("1", "2", "3"),
            (Line(each, (1, None, 3), 2, (1, 2, 3), 3),),
            frozenset({2}),
            "day",
        )
        for each in (name.strip("\x00\x0b") for name in HOSTILE)
    ]
    return [svg(hostile), *(svg(chart) for chart in days)]


def test_a_picture_is_well_formed_and_has_no_script_and_no_address_whatever_the_labels() -> None:
    for text in _pictures():
        root = ET.fromstring(text)
        tags = {each.tag.rpartition("}")[2] for each in root.iter()}
        assert tags <= {
            "svg",
            "title",
            "desc",
            "defs",
            "style",
            "g",
            "rect",
            "path",
            "text",
            "circle",
            "line",
        }
        for each in root.iter():
            assert not [name for name in each.attrib if "href" in name or name.lower().startswith("on")]
        style = "".join(root.itertext()) if "style" in tags else ""
        assert "@import" not in style
        assert "url(" not in style


def test_a_picture_says_what_it_shows_to_those_who_hear_it() -> None:
    chart = chart_of("By day", explored([10, None, 0, 5], label="<b>"), "day")
    root = ET.fromstring(svg(chart))
    space = "{http://www.w3.org/2000/svg}"
    title, description = root[0], root[1]
    assert (root.attrib["role"], title.tag, description.tag) == ("img", f"{space}title", f"{space}desc")
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert title.text == "By day"
    assert description.text == (
        "<b>: 15 in all; highest 10 (2025-11-23), lowest 0 (2025-11-25), of 3 values. Partial: 2025-11-26."
    )
    assert "prefers-color-scheme:dark" in svg(chart)


def test_a_table_quotes_every_text_and_computes_nothing() -> None:
    named = [(name, 1.5) for name in HOSTILE]
    text = csv_of([(None, totals(*named), None), ("p90", explored([1, None], before=[2, 3]), "day")])
    rows = list(csv.reader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert not [row for row in rows for each in row if each.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "\x1b" not in text
    assert rows[1 + HOSTILE.index("=HYPERLINK(1)")][0] == "'=HYPERLINK(1)"
    assert rows[-4:] == [
        ["p90", "All", "window", "2025-11-23", "1", "number", "no"],
        ["p90", "All", "window", "2025-11-24", "", "number", "yes"],
        ["p90", "All", "before", "2025-11-21", "2", "number", "no"],
        ["p90", "All", "before", "2025-11-22", "3", "number", "no"],
    ]
    assert text.splitlines()[-1] == '"p90","All","before","2025-11-22",3,"number","no"'


_VALUES = st.none() | st.integers(-5, 10**9) | st.floats(0, 100)


@settings(max_examples=effort.of(40, 2_000), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(HOSTILE) | st.text(max_size=20), _VALUES), max_size=4),
    st.lists(_VALUES, min_size=1, max_size=45),
    st.sampled_from(["number", "percent", "milliseconds"]),
    st.sampled_from(["bars", "lines", "auto"]),
    st.integers(60, 120),
)
@example([("漢字" * 40, None), ("a", None)], [None], "number", "lines", 60)
def test_no_line_of_a_chart_is_wider_than_the_terminal(
    groups: list[tuple[str, Any]], values: list[Any], unit: str, kind: str, width: int
) -> None:
    label = groups[0][0] if groups else "All"
    for chart in (
        chart_of("By group", totals(*groups, unit=unit), None),
        chart_of(label, explored(values, label, values[::-1], unit=unit), "day"),
    ):
        for style in (Style(width, unicode=True), Style(width, unicode=False)):
            for line in drawn(chart, style, kind):
                shown = line.removeprefix("\x1b[1m").removesuffix("\x1b[0m")
                assert "\x1b" not in shown
                assert columns(shown) <= width, shown
                assert style.unicode or shown.isascii()
