"""Queries of analytics, as the options of a command say them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

_C = TypeVar("_C", bound=Callable[..., Any])
_BARE = {"isSet", "isNotSet"}
BUCKETS = ("day", "week", "month", "hour", "weekday")


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


class Start(click.ParamType):
    """The first day of a window, such as 2026-11-01; it begins at midnight UTC."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the day's first instant in milliseconds since 1970."""
        if not isinstance(value, str):
            return value
        try:
            day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            self.fail(f"{value!r} is not a day such as 2026-11-01.", param, ctx)
        return int(day.timestamp()) * 1000


_WINDOW = (
    click.option(
        "--filter", "filters", type=Filter(), multiple=True, help="FIELD:OPERATOR:VALUE; repeat it for more."
    ),
    click.option("--match", type=click.Choice(["all", "any"]), help="Whether all filters must pass, or one."),
    click.option("--when", help="The time field that places a row."),
    click.option("--all-time", is_flag=True, help="Rows of all time."),
    click.option(
        "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="Length of the window."
    ),
    click.option(
        "--from", "start", type=Start(), help="The first day of the window (UTC), such as 2026-11-01."
    ),
)


def window_options(command: _C) -> _C:
    """Add the options that say which rows count."""
    for option in reversed(_WINDOW):
        command = option(command)
    return command


def body_of(
    dataset: str,
    *,
    filters: tuple[dict[str, Any], ...],
    match: str | None,
    when: str | None,
    all_time: bool,
    days: int,
    start: int | None,
    **query: Any,
) -> dict[str, Any]:
    """Return the body of a request from these options and other parts of the query; None is left out."""
    scope = "all" if all_time else None
    placed = {name: value for name, value in (("field", when), ("scope", scope)) if value is not None}
    parts = {"filters": list(filters), "match": match, "when": placed or None, **query}
    body: dict[str, Any] = {
        "query": {"dataset": dataset, **{name: part for name, part in parts.items() if part is not None}},
        "days": days,
    }
    return body if start is None else {**body, "from": start}


def title_of(body: dict[str, Any]) -> str:
    """Return what a query asks for, as the title of a chart."""
    query = body["query"]
    measure = query.get("measure", {"op": "count"})
    where = measure.get("where")
    what = measure["op"] + (f" of {measure['field']}" if measure.get("field") else "")
    if where:
        what += f" with {where['field']} {where['op']} {where.get('value', '')}".rstrip()
    by = [query[name] for name in ("groupBy", "bucket") if query.get(name)]
    return f"{query['dataset']}: {what}" + (f" by {' and '.join(by)}" if by else "")
