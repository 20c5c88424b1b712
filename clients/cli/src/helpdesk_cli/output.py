"""Output: tables and times for people, the API's JSON for programs.

Every function here makes text safe to print: visitors and servers wrote it. The exceptions say so in their names:
`say_drawn` and `say_file`. Nothing else in the package writes to stdout.
"""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import click

from helpdesk_cli.short_ids import shortened
from helpdesk_cli.text import escaped, one_line, safe

NOTHING = "-"
_LEAST_TEXT = 12
"""A narrower last column is not cut: the line wraps."""


def say(text: str = "", *, bold: bool = False) -> None:
    """Write a line to stdout. Characters that its encoding lacks are replaced."""
    say_drawn(click.style(safe(text), bold=True) if bold else safe(text))


def say_drawn(line: str) -> None:
    """Write a line of styled text to stdout as it is: what others wrote in it is safe already."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(line.encode(encoding, "replace").decode(encoding))


def say_file(text: str) -> None:
    """Write a file's text to stdout as it is, for a pipe. A terminal gets it safe."""
    click.echo(safe(text) if sys.stdout.isatty() else text, nl=False)


def note(text: str) -> None:
    """Write a line to stderr, so that stdout holds only the result."""
    click.echo(safe(text), err=True)


def confirmed(question: str) -> bool:
    """Ask on stderr and read the answer from stdin. click's own prompt would write to stdout."""
    click.echo(f"{safe(question)} [y/N] ", err=True, nl=False)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def say_json(content: Any, *, indent: int | None = 2) -> None:
    """Write an object as JSON."""
    click.echo(as_json(content, indent=indent))


def as_json(content: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON. What terminals would interpret, or would hide text, is written as escapes."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return escaped(json.dumps(content, indent=indent, ensure_ascii=encoding != "utf8"))


def moment(ms: int | None) -> str:
    """Return a time (ms since 1970) to the second in this machine's time zone, with its offset from UTC."""
    if ms is None:
        return NOTHING
    try:
        return datetime.fromtimestamp(ms / 1000).astimezone().isoformat(sep=" ", timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return str(ms)


def cell(value: Any) -> str:
    """Return a value as the text of a table cell."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(one_line(one) for one in value) or NOTHING
    return one_line(value)


def say_table(headings: Sequence[str], rows: Iterable[Sequence[Any]], *, empty: str) -> None:
    """Write a table, or `empty` if it has no rows."""
    cells = [[cell(value) for value in row] for row in rows]
    if not cells:
        say(empty)
        return
    if sys.stdout.isatty():
        cells = fitted(headings, cells, shutil.get_terminal_size().columns)
    widths = [max(columns(text) for text in column) for column in zip(headings, *cells, strict=True)]
    say(_line(headings, widths), bold=True)
    for row in cells:
        say(_line(row, widths))


def fitted(headings: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return the cells of a table for a terminal: with short IDs, and the text of the last column cut to fit."""
    by_column = [shortened(column) for column in zip(*cells, strict=True)]
    taken = sum(
        max(map(columns, [heading, *column])) + 2 for heading, column in zip(headings, by_column, strict=True)
    )
    room = width - taken + max(map(columns, [headings[-1], *by_column[-1]])) + 2
    if headings[-1] != "ID" and room >= _LEAST_TEXT:
        by_column[-1] = [_cut(text, room) for text in by_column[-1]]
    return [list(row) for row in zip(*by_column, strict=True)]


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    while columns(text) > width - 1:
        text = text[:-1]
    return f"{text.rstrip()}…"


def say_facts(facts: Iterable[tuple[str, Any]]) -> None:
    """Write names with their values, one per line."""
    known = [(name, cell(value)) for name, value in facts]
    width = max(len(name) for name, _ in known)
    for name, value in known:
        say_drawn(f"{click.style(name.ljust(width), bold=True)}  {value}")


def _line(texts: Sequence[str], widths: Sequence[int]) -> str:
    padded = [text + " " * (width - columns(text)) for text, width in zip(texts, widths, strict=True)]
    return "  ".join(padded).rstrip()


def columns(text: str) -> int:
    """Return the terminal columns of a text: two for a wide East Asian character, none for a combining mark."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
