"""How a refusal of a query names the part that is wrong, and lists what is allowed."""

import json
import re
from typing import Any

import pytest

from helpdesk.analytics.errors import InvalidQuery
from helpdesk.analytics.query import listing, of_rows, plan
from helpdesk.analytics.query_schemas import ExploreInput, Measure, Op
from helpdesk.analytics.windows import Bucket, Window
from helpdesk.api.http.validation import parse_body
from helpdesk.platform.errors import AppError, InvalidRequest
from tests.support.rules import for_each

SUNDAY = 1_763_856_000_000  # 2025-11-23T00:00:00Z
HOUR, DAY = 3_600_000, 86_400_000
NOW = SUNDAY + 14 * HOUR


def _refusal(text: str) -> AppError:
    try:
        body = parse_body(ExploreInput, text, is_base64=False)
        listing(body, plan(body, NOW).dataset)
    except AppError as refusal:
        return refusal
    raise AssertionError(text)


def _query(rest: str) -> str:
    return '{"query": {"dataset": "ratings"' + (f", {rest}" if rest else "") + "}}"


def _filter(rest: str) -> str:
    return _query('"filters": [{"field": "stars", "op": "isSet"}, {' + rest + "}]")


MALFORMED = {
    "{}": "`query` is required.",
    '{"query": {"dataset": "sales"}}': "`query.dataset` must be one of conversations, ratings, signals,",
    '{"query": {"dataset": "ratings"}, "days": 367}': "`days` must be a whole number from 1 to 366.",
    '{"query": {"dataset": "ratings"}, "days": 0}': "`days` must be a whole number from 1 to 366.",
    '{"query": {"dataset": "ratings"}, "limit": 201}': "`limit` must be a whole number from 1 to 200.",
    '{"query": {"dataset": "ratings"}, "from": -1}': "`from` must be a whole number from 0 to",
    '{"query": {"dataset": "ratings"}, "sort": {"by": "time", "direction": "up"}}': "`sort.direction` must be one of",
    _query('"top": 21'): "`query.top` must be a whole number from 1 to 20.",
    _query('"order": "random"'): "`query.order` must be one of natural, largest, smallest.",
    _query('"bucket": "year"'): "`query.bucket` must be one of day, week, month, hour, weekday.",
    _query('"bucket": "day", "when": {"scope": "all"}'): "`query.bucket` day requires a window",
    _query('"groupby": "stars"'): "did you mean `query.groupBy`?",
    _query(
        '"measure": {"op": "p50"}'
    ): "`query.measure.op` must be one of count, distinct, sum, avg, median, p75,",
    _query('"measure": {"op": "avg"}'): "`query.measure.field` is required for avg.",
    _query('"measure": {"op": "count", "field": "stars"}'): "`query.measure.field` must be omitted",
    _query('"measure": {"op": "percent"}'): "`query.measure.where` is required for percent.",
    _query(
        '"measure": {"op": "count", "where": {"field": "stars", "op": "isSet"}}'
    ): "`query.measure.where` is only for percent",
    _filter(
        '"field": "stars", "op": "like", "value": 1'
    ): "`query.filters[1].op` must be one of is, isNot, gt,",
    _filter('"field": "stars", "op": "is"'): "`query.filters[1].value` is required for is.",
    _filter('"field": "stars", "op": "isSet", "value": 1'): "`query.filters[1].value` must be omitted",
    _filter('"field": "stars", "op": "is", "value": "5"'): "`query.filters[1].value` must be a number",
    _filter('"field": "stars", "op": "is", "value": true'): "`query.filters[1].value` must be a number",
    _filter(
        '"field": "stars", "op": "in", "value": 5'
    ): "`query.filters[1].value` must be a list of at most 50 values",
    _filter(
        '"field": "stars", "op": "in", "value": [1, "2"]'
    ): "`query.filters[1].value[1]` must be a number",
    _filter(
        f'"field": "stars", "op": "in", "value": {list(range(51))}'
    ): "must be a list of at most 50 values",
    _filter(
        '"field": "hasNote", "op": "is", "value": "yes"'
    ): "`query.filters[1].value` must be true or false",
    _filter(
        '"field": "resolvedBy", "op": "is", "value": "bot"'
    ): "`query.filters[1].value` must be one of agent, team.",
    _filter(
        '"field": "resolvedBy", "op": "is", "value": "Agent"'
    ): "`query.filters[1].value` must be one of agent, team. Did you mean `agent`?",
    _filter(
        '"field": "resolvedBy", "op": "is", "value": ["agent", "team"]'
    ): "`query.filters[1].value` must be one of agent, team. For a list, use `in`.",
    _filter(
        '"field": "stars", "op": "isNot", "value": [1]'
    ): "`query.filters[1].value` must be a number, because stars is. For a list, use `notIn`.",
}

UNKNOWN = {
    _query(
        '"groupBy": "colour"'
    ): "`query.groupBy`: 'colour' is not a field of ratings. Allowed: at, stars, hasNote,",
    _query(
        '"when": {"field": "stars"}'
    ): "`query.when.field`: 'stars' is a field of another type in ratings. Allowed: at.",
    _query(
        '"measure": {"op": "sum", "field": "customer"}'
    ): "`query.measure.field`: 'customer' is a field of another",
    _query(
        '"measure": {"op": "distinct", "field": "stars"}'
    ): "Allowed: conversation, customer, resolvedBy, assignee.",
    _query(
        '"measure": {"op": "percent", "where": {"field": "x", "op": "isSet"}}'
    ): "`query.measure.where.field`: 'x'",
    _filter(
        '"field": "startedAt", "op": "isSet"'
    ): "`query.filters[1].field`: 'startedAt' is not a field of ratings.",
    _filter(
        '"field": "resolvedBy", "op": "gt", "value": 1'
    ): "`query.filters[1].op`: gt does not fit resolvedBy",
    '{"query": {"dataset": "ratings"}, "sort": {"by": "when"}}': "`sort.by`: 'when' is not a field of ratings.",
    '{"query": {"dataset": "ratings"}, "fields": ["stars", "who"]}': "`fields[1]`: 'who' is not a field of ratings.",
}


@for_each("text, message", MALFORMED.items())
def test_a_malformed_request_is_refused_with_the_path_of_its_field(text: str, message: str) -> None:
    refusal = _refusal(text)
    assert type(refusal) is InvalidRequest
    assert message in refusal.message


@for_each("text, message", UNKNOWN.items())
def test_a_query_for_what_a_dataset_lacks_is_refused_with_what_it_has(text: str, message: str) -> None:
    refusal = _refusal(text)
    assert type(refusal) is InvalidQuery
    assert message in refusal.message


WHOLE: dict[str, Any] = {
    "query": {
        "dataset": "ratings",
        "measure": {"op": "percent", "field": None, "where": {"field": "stars", "op": "gte", "value": 4}},
        "filters": [{"field": "stars", "op": "in", "value": [1, 2]}],
        "match": "all", "groupBy": "assignee", "top": 8, "order": "natural", "other": True, "bucket": "day",
        "when": {"field": "at", "scope": "range"}, "compare": False,
    },
    "days": 30, "from": SUNDAY, "limit": 50, "sort": {"by": "time", "direction": "desc"}, "fields": ["stars"],
}  # fmt: skip
"""A body with every field of the specification."""

_TEXT, _INTEGER, _FLAG, _OBJECT, _LIST = (
    "must be text", "must be a whole number", "must be true or false", "must be an object", "must be a list",
)  # fmt: skip
TYPES = {
    "query": _OBJECT, "query.dataset": _TEXT, "query.measure": _OBJECT, "query.measure.op": _TEXT,
    "query.measure.field": _TEXT, "query.measure.where": _OBJECT, "query.measure.where.field": _TEXT,
    "query.measure.where.op": _TEXT, "query.filters": _LIST, "query.filters[0]": _OBJECT,
    "query.filters[0].field": _TEXT, "query.filters[0].op": _TEXT, "query.match": "must be one of 'all' or 'any'",
    "query.groupBy": _TEXT, "query.top": _INTEGER, "query.order": _TEXT, "query.other": _FLAG,
    "query.bucket": _TEXT, "query.when": _OBJECT, "query.when.field": _TEXT,
    "query.when.scope": "must be one of 'range' or 'all'", "query.compare": _FLAG, "days": _INTEGER,
    "from": _INTEGER, "limit": _INTEGER, "sort": _OBJECT, "sort.by": _TEXT,
    "sort.direction": "must be one of 'asc' or 'desc'", "fields": _LIST, "fields[0]": _TEXT,
    "query.measure.where.value": "must be a number, because stars is",
    "query.filters[0].value": "must be a list of at most 50 values for in",
    "query.filters[0].value[0]": "must be a number, because stars is",
}  # fmt: skip
REQUIRED = [
    "query",
    "query.dataset",
    "query.measure.op",
    "query.measure.where.field",
    "query.measure.where.op",
    "query.filters[0].field",
    "query.filters[0].op",
    "sort.by",
]
OBJECTS = ["query", "query.measure", "query.measure.where", "query.filters[0]", "query.when", "sort"]


def _changed(path: str, value: Any) -> str:
    """Return the body with another value at a path, or without it if the value is REQUIRED."""
    body = json.loads(json.dumps(WHOLE))
    *way, last = [int(part) if part.isdigit() else part for part in re.findall(r"\w+", path)]
    inner = body
    for part in way:
        inner = inner[part]
    if value is REQUIRED:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(body)


def _paths(inner: Any, path: str = "") -> list[str]:
    """Return the path of every value in a body."""
    if isinstance(inner, dict):
        steps = [(f"{path}.{name}" if path else name, each) for name, each in inner.items()]
    elif isinstance(inner, list):
        steps = [(f"{path}[0]", inner[0])]
    else:
        return []
    return [found for way, each in steps for found in (way, *_paths(each, way))]


@for_each(
    "query",
    [
        '"bucket": "day", "when": {"scope": "all"}',
        '"measure": {"op": "avg"}',
        '"measure": {"op": "avg", "field": "hasNote"}',
        '"measure": {"op": "count", "field": "stars"}',
        '"measure": {"op": "percent"}',
    ],
)
def test_rows_are_listed_however_they_would_be_measured(query: str) -> None:
    body = parse_body(ExploreInput, _query(query), is_base64=False)

    made = plan(of_rows(body), NOW)

    assert (made.bucket, made.group, made.measured.op) == (None, None, Measure.COUNT)


@for_each(
    "query, path",
    [
        ('"groupBy": "nothing"', "query.groupBy"),
        ('"measure": {"op": "avg", "field": "nothing"}', "query.measure.field"),
        (
            '"measure": {"op": "percent", "where": {"field": "nothing", "op": "isSet"}}',
            "query.measure.where.field",
        ),
    ],
)
def test_an_unknown_field_is_refused_where_rows_are_listed_as_well(query: str, path: str) -> None:
    with pytest.raises(InvalidQuery, match=f"`{path}`: 'nothing' is not a field of ratings."):
        of_rows(parse_body(ExploreInput, _query(query), is_base64=False))


def test_a_body_with_every_field_is_taken() -> None:
    body = parse_body(ExploreInput, json.dumps(WHOLE), is_base64=False)
    made = plan(body, NOW)
    assert (made.window, made.bucket, listing(body, made.dataset).limit) == (
        Window(SUNDAY, SUNDAY + 30 * DAY), Bucket.DAY, 50,
    )  # fmt: skip
    assert TYPES.keys() == set(_paths(WHOLE))


@for_each("path, message", TYPES.items())
def test_a_value_of_another_type_is_refused_with_its_path_and_the_type(path: str, message: str) -> None:
    for value in ({"x": [1.5]}, [[1.5]], 1.5, "x"):
        # Some of these fit some fields: text does where text is wanted, a number where a number is.
        fits = {
            _TEXT: isinstance(value, str), _OBJECT: isinstance(value, dict), _LIST: isinstance(value, list),
            "must be a number, because stars is": value == 1.5,
            "must be a list of at most 50 values for in": isinstance(value, list),
        }  # fmt: skip
        if fits.get(message, False):
            continue
        refusal = _refusal(_changed(path, value))
        assert (type(refusal), refusal.message) == (InvalidRequest, f"`{path}` {message}.")


@for_each("path", REQUIRED)
def test_a_missing_field_is_refused_with_its_path(path: str) -> None:
    refusal = _refusal(_changed(path, REQUIRED))
    assert (type(refusal), refusal.message) == (InvalidRequest, f"`{path}` is required.")


@for_each("path", OBJECTS)
def test_an_unknown_field_of_an_object_is_refused_with_the_fields_that_it_has(path: str) -> None:
    message = _refusal(_changed(f"{path}.colour", 1)).message
    own = {each.removeprefix(f"{path}.").partition(".")[0].partition("[")[0]
           for each in TYPES if each.startswith(f"{path}.")}  # fmt: skip
    assert f"`{path}.colour`" in message
    assert all(f"`{each}`" in message or each in message for each in own), message


@for_each("path", [path for path in TYPES if path not in REQUIRED and not path.endswith("]")])
def test_null_counts_as_left_out(path: str) -> None:
    if path.endswith(".value") or path == "query.measure.where":
        assert _refusal(_changed(path, None)).message.startswith(f"`{path}` is required for ")
        return
    body = parse_body(ExploreInput, _changed(path, None), is_base64=False)
    listing(body, plan(body, NOW).dataset)


@for_each("op", list(Op))
def test_an_operator_that_does_not_fit_is_refused_with_those_that_do(op: Op) -> None:
    """Each type takes its operators; the refusal of another one lists them in the order of the specification."""
    comparisons, texts = ["gt", "gte", "lt", "lte"], ["contains", "notContains"]
    rest = ["in", "notIn", "isSet", "isNotSet"]
    allowed = {
        ("conversations", "customer"): ["is", "isNot", *rest],
        ("conversations", "subject"): ["is", "isNot", *texts, *rest],
        ("conversations", "status"): ["is", "isNot", *rest],
        ("conversations", "messages"): ["is", "isNot", *comparisons, *rest],
        ("conversations", "resolutionTime"): ["is", "isNot", *comparisons, *rest],
        ("conversations", "resolvedAt"): ["is", "isNot", *comparisons, *rest],
        ("conversations", "archived"): ["is", "isNot", *rest],
    }
    for (dataset, field), ops in allowed.items():
        if op.value in ops:
            continue
        sent = {"query": {"dataset": dataset, "filters": [{"field": field, "op": op.value, "value": 1}]}}
        refusal = _refusal(json.dumps(sent))
        assert type(refusal) is InvalidQuery
        assert refusal.message.startswith(f"`query.filters[0].op`: {op.value} does not fit {field}")
        assert refusal.message.endswith(f"Allowed: {', '.join(ops)}.")


def test_a_refusal_stays_readable_whatever_is_sent() -> None:
    long = "x" * 100_000
    sent: list[dict[str, Any]] = [
        {"query": {"dataset": long}},
        {"query": {"dataset": "ratings", "groupBy": long}},
        {"query": {"dataset": "ratings", "measure": {"op": long}}},
        {"query": {"dataset": "ratings", "filters": [{"field": long, "op": "isSet"}]}},
        {"query": {"dataset": "ratings", long: 1}},
        {"query": {"dataset": "ratings"}, "fields": [long]},
        {"query": {"dataset": "ratings"}, "fields": ["stars"] * 51},
        {"query": {"dataset": "ratings", "filters": [{"field": "stars", "op": "isSet"}] * 51}},
        {"query": {"dataset": "ratings"}, "sort": {"by": "\u202e\n\x00"}},
    ]
    for body in sent:
        message = _refusal(json.dumps(body)).message
        assert len(message) < 1_000
        assert message.isprintable()
