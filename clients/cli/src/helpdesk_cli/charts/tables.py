"""Figures as CSV, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from helpdesk_cli.charts.chart import place
from helpdesk_cli.text import one_line

COLUMNS = ("series", "key", "period", "at", "value", "unit", "partial")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def csv_of(answers: Iterable[tuple[str | None, Mapping[str, Any], str | None]]) -> str:
    """Return figures as CSV: of each answer with its name (None: the series' own labels) and its bucket.

    `period` is `window` or `before`. Values are plain numbers: milliseconds, percent from 0 to 100, or counts.
    """
    text = io.StringIO()
    # Every text is quoted: a spreadsheet of another country separates cells by semicolons.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for name, answer, bucket in answers:
        for period, series in (("window", answer["series"]), ("before", answer["previous"] or [])):
            for one in series:
                head = (cell(name or one["label"]), cell(one["key"]), period)
                unit = answer.get("unit", "number")
                if bucket is None:
                    writer.writerow((*head, "", _plain(one["total"]), unit, ""))
                for point in one["points"]:
                    partial = "yes" if point["partial"] else "no"
                    at = place(point["at"], bucket or "day")
                    writer.writerow((*head, at, _plain(point["value"]), unit, partial))
    return text.getvalue()


def cell(text: object) -> str:
    """Return text that a spreadsheet shows and does not compute: a formula is put behind an apostrophe.

    Visitors choose what subjects and names begin with. https://owasp.org/www-community/attacks/CSV_Injection
    """
    shown = one_line(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _plain(value: float | None) -> float | str:
    return "" if value is None else value
