"""analytics: figures about the work, the rows behind them, and ready-made reports."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from helpdesk_cli.charts.chart import chart_of, merged
from helpdesk_cli.charts.tables import csv_of
from helpdesk_cli.charts.terminal import Style, drawn
from helpdesk_cli.framework import Command, Listing
from helpdesk_cli.output import moment, note, say_drawn, say_file, say_json, say_table
from helpdesk_cli.problems import Problem
from helpdesk_cli.queries import BUCKETS, Filter, body_of, title_of, window_options
from helpdesk_cli.session import Session, pass_session

_C = TypeVar("_C", bound=Callable[..., Any])
_PIPE_WIDTH = 80
_OUTPUT = (
    click.option(
        "--chart",
        type=click.Choice(["auto", "bars", "lines"]),
        default="auto",
        show_default=True,
        help="How to draw in the terminal.",
    ),
    click.option(
        "--csv", type=click.Path(dir_okay=False, allow_dash=True), help="Write CSV to this file; - is stdout."
    ),
    click.option(
        "--svg", type=click.Path(dir_okay=False, allow_dash=True), help="Write an SVG picture; - is stdout."
    ),
)


def _output_options(command: _C) -> _C:
    for option in reversed(_OUTPUT):
        command = option(command)
    return command


@click.group(cls=Listing, name="analytics")
def analytics() -> None:
    """Ask for figures about the organization's work."""


@analytics.command("list", cls=Command)
@pass_session
def datasets(session: Session) -> None:
    """List the datasets and their fields."""
    answer = session.api().get("analytics", "datasets")
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("DATASET", "FIELD", "TYPE", "VALUES"),
        [(one["id"], field["id"], field["type"], field["values"] or "")
         for one in answer["datasets"] for field in one["fields"]],
        empty="There are no datasets.",
    )  # fmt: skip


@analytics.command(cls=Command)
@click.argument("dataset")
@click.option(
    "--measure",
    default="count",
    show_default=True,
    help="OPERATION or OPERATION:FIELD, such as median:messages.",
)
@click.option("--where", type=Filter(), help="FIELD:OPERATOR:VALUE of --measure percent.")
@click.option("--group", help="The field to split by.")
@click.option("--bucket", type=click.Choice(BUCKETS), help="Points in time.")
@click.option("--top", type=click.IntRange(1, 20), help="How many groups.")
@click.option("--order", type=click.Choice(["natural", "largest", "smallest"]), help="The order of groups.")
@click.option("--no-other", is_flag=True, help="Leave out the groups past --top.")
@click.option("--compare", is_flag=True, help="Also show the same number of days before.")
@window_options
@_output_options
@pass_session
def explore(
    session: Session,
    /,
    dataset: str,
    measure: str,
    where: dict[str, Any] | None,
    group: str | None,
    bucket: str | None,
    top: int | None,
    order: str | None,
    chart: str,
    csv: str | None,
    svg: str | None,
    *,
    no_other: bool,
    compare: bool,
    **window: Any,
) -> None:
    """Measure the rows of DATASET, and draw the result."""
    op, _, field = measure.partition(":")
    measured = {"op": op, **({"field": field} if field else {}), **({"where": where} if where else {})}
    body = body_of(
        dataset,
        **window,
        measure=measured,
        groupBy=group,
        bucket=bucket,
        top=top,
        order=order,
        other=False if no_other else None,
        compare=compare or None,
    )
    answer = session.api().post("analytics", "explore", body=body)
    if session.as_json:
        say_json(answer)
        return
    _show(title_of(body), [body], [answer], _Wanted(chart, csv, svg))


@analytics.command(cls=Command)
@click.argument("dataset")
@window_options
@click.option(
    "--field", "fields", multiple=True, help="A field to show; repeat it for more. All unless given."
)
@click.option(
    "--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Maximum number of rows."
)
@pass_session
def records(session: Session, /, dataset: str, fields: tuple[str, ...], limit: int, **window: Any) -> None:
    """List the rows of DATASET, newest first."""
    body = {**body_of(dataset, **window), "limit": limit}
    if fields:
        body["fields"] = list(fields)
    answer = session.api().post("analytics", "records", body=body)
    if session.as_json:
        say_json(answer)
        return
    say_table(
        ("TIME", "TITLE", *(name.upper() for name in answer["fields"])),
        [(moment(row["at"]), row["title"], *row["values"]) for row in answer["rows"]],
        empty="No rows match.",
    )


@analytics.command(cls=Command)
@click.argument("name", required=False)
@_output_options
@pass_session
def reports(session: Session, name: str | None, chart: str, csv: str | None, svg: str | None) -> None:
    """List the ready-made reports, or show the report NAME."""
    api = session.api()
    if name is None:
        answer = api.get("analytics", "reports")
        if session.as_json:
            say_json(answer)
            return
        rows = [(one["name"], one["title"]) for one in answer["reports"]]
        say_table(("NAME", "TITLE"), rows, empty="There are no reports.")
        return
    answer = api.get("analytics", "reports", name)
    if session.as_json:
        say_json(answer)
        return
    _show(answer["title"], answer["queries"], answer["results"], _Wanted(chart, csv, svg))


@dataclass(frozen=True)
class _Wanted:
    """How figures are shown: the kind of chart, and files to write (`-` is stdout)."""

    chart: str
    csv: str | None
    svg: str | None


def _show(
    title: str, bodies: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]], wanted: _Wanted
) -> None:
    """Show what queries found: in the terminal, unless files are asked for."""
    names = [body["query"].get("measure", {"op": "count"})["op"] for body in bodies]
    buckets = [body["query"].get("bucket") for body in bodies]
    charts = [chart_of(title, answer, bucket) for answer, bucket in zip(answers, buckets, strict=True)]
    charts = merged(title, list(zip(names, charts, strict=True)))
    if wanted.csv is not None:
        several = names if len(names) > 1 else [None]
        _write(wanted.csv, csv_of(list(zip(several, answers, buckets, strict=True))))
    if wanted.svg is not None:
        if len(charts) > 1:
            raise Problem(
                "This report has several charts: write them as CSV, or explore its queries one by one."
            )
        # Imported here: most commands draw no picture.
        from helpdesk_cli.charts.picture import svg  # noqa: PLC0415

        _write(wanted.svg, svg(charts[0]))
    if wanted.csv is None and wanted.svg is None:
        style = _style()
        for chart in charts:
            for line in drawn(chart, style, wanted.chart):
                say_drawn(line)
    if any(answer["capped"] for answer in answers):
        note("More than 20,000 rows match: these figures are of the newest.")


def _style() -> Style:
    """Return what stdout can show: a pipe gets 80 columns of ASCII."""
    is_terminal = sys.stdout.isatty()
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    width = shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if is_terminal else _PIPE_WIDTH
    return Style(width=max(width, 60), unicode=is_terminal and encoding == "utf8")


def _write(file: str, text: str) -> None:
    if file == "-":
        say_file(f"{text.rstrip()}\n")
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Problem(f"{file} cannot be written: {error.strerror}.") from None
    note(f"Written: {file}")
