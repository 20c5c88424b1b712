"""analytics: figures about the work, the rows behind them, and ready-made reports."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timezone
from typing import Any

import click

from helpdesk_cli.framework import Command, Listing
from helpdesk_cli.output import cell, moment, say, say_json, say_table
from helpdesk_cli.session import Session, pass_session

_BAR = 40
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_BARE = {"isSet", "isNotSet"}


class Filter(click.ParamType):
    """A filter: FIELD:OPERATOR:VALUE. The value is JSON if it can be read as JSON, else text."""

    name = "filter"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the filter as the API takes it."""
        if not isinstance(value, str):
            return value
        field, _, rest = value.partition(":")
        op, colon, given = rest.partition(":")
        if not field or not op or bool(colon) == (op in _BARE):
            self.fail(f"{value!r} is not FIELD:OPERATOR:VALUE, such as status:is:resolved.", param, ctx)
        if op in _BARE:
            return {"field": field, "op": op}
        try:
            return {"field": field, "op": op, "value": json.loads(given)}
        except ValueError:
            return {"field": field, "op": op, "value": given}


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
@click.option(
    "--filter", "filters", type=Filter(), multiple=True, help="FIELD:OPERATOR:VALUE; repeat it for more."
)
@click.option("--group", help="The field to split by.")
@click.option(
    "--bucket", type=click.Choice(["day", "week", "month", "hour", "weekday"]), help="Points in time."
)
@click.option("--when", help="The time field that places a row.")
@click.option("--top", type=click.IntRange(1, 20), help="How many groups.")
@click.option(
    "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="Length of the window."
)
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV to stdout.")
@pass_session
def explore(
    session: Session,
    dataset: str,
    measure: str,
    filters: tuple[dict[str, Any], ...],
    group: str | None,
    bucket: str | None,
    when: str | None,
    top: int | None,
    days: int,
    *,
    as_csv: bool,
) -> None:
    """Measure the rows of DATASET, and draw the result as bars."""
    op, _, field = measure.partition(":")
    query: dict[str, Any] = {
        "dataset": dataset,
        "measure": {"op": op, **({"field": field} if field else {})},
        "filters": list(filters),
        **{name: value for name, value in (("groupBy", group), ("bucket", bucket), ("top", top)) if value},
        **({"when": {"field": when}} if when else {}),
    }
    answer = session.api().post("analytics", "explore", body={"query": query, "days": days})
    _show(session, answer, bucket, as_csv=as_csv)


@analytics.command(cls=Command)
@click.argument("dataset")
@click.option(
    "--filter", "filters", type=Filter(), multiple=True, help="FIELD:OPERATOR:VALUE; repeat it for more."
)
@click.option(
    "--field", "fields", multiple=True, help="A field to show; repeat it for more. All unless given."
)
@click.option(
    "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="Length of the window."
)
@click.option(
    "--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Maximum number of rows."
)
@pass_session
def records(
    session: Session,
    dataset: str,
    filters: tuple[dict[str, Any], ...],
    fields: tuple[str, ...],
    days: int,
    limit: int,
) -> None:
    """List the rows of DATASET, newest first."""
    body: dict[str, Any] = {
        "query": {"dataset": dataset, "filters": list(filters)},
        "days": days,
        "limit": limit,
    }
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
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV to stdout.")
@pass_session
def reports(session: Session, name: str | None, *, as_csv: bool) -> None:
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
    for body, result in zip(answer["queries"], answer["results"], strict=True):
        if not as_csv:
            say(f"{answer['title']} ({body['query'].get('measure', {}).get('op', 'count')})")
        _show(session, result, body["query"].get("bucket"), as_csv=as_csv)


def _show(session: Session, answer: dict[str, Any], bucket: str | None, *, as_csv: bool) -> None:
    if session.as_json:
        say_json(answer)
        return
    lines: list[tuple[str, str, float | None]] = []
    for one in answer["series"]:
        if one["points"]:
            lines += [(one["label"], _place(each["at"], bucket), each["value"]) for each in one["points"]]
        else:
            lines.append((one["label"], "", one["total"]))
    if as_csv:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([("series", "at", "value"), *lines])
        say(text.getvalue().rstrip("\n"))
        return
    most = max((value for _, _, value in lines if value is not None), default=0)
    rows = [(name, at, "" if value is None else cell(value), _bar(value, most)) for name, at, value in lines]
    say_table(("SERIES", "AT", "VALUE", ""), rows, empty="No rows match.")
    if answer["capped"]:
        say("More than 20,000 rows match: these figures are of the newest.")


def _bar(value: float | None, most: float) -> str:
    """Return a bar that is as long as a value's share of the largest one."""
    return "" if value is None or most <= 0 else "█" * max(round(_BAR * value / most), int(value > 0))


def _place(at: int, bucket: str | None) -> str:
    if bucket == "weekday":
        return _DAYS[at]
    if bucket == "hour":
        return f"{at:02d}:00"
    return datetime.fromtimestamp(at / 1000, timezone.utc).strftime("%Y-%m-%d")
