"""What a query may say, and how a refusal names the part that is wrong."""

from typing import Any

from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.errors import InvalidQuery
from helpdesk.analytics.evaluation import computed
from helpdesk.analytics.query import condition, listing, plan
from helpdesk.analytics.query_schemas import ExploreInput, FilterInput, Measure
from helpdesk.analytics.windows import Bucket, Slot, Window, slots, window_of
from helpdesk.http.validation import parse_body
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
    _query('"bucket": "day", "when": {"scope": "all"}'): "`query.bucket` day needs a window",
    _query('"groupby": "stars"'): "did you mean `query.groupBy`?",
    _query(
        '"measure": {"op": "p50"}'
    ): "`query.measure.op` must be one of count, distinct, sum, avg, median, p75,",
    _query('"measure": {"op": "avg"}'): "`query.measure.field` is required for avg.",
    _query('"measure": {"op": "count", "field": "stars"}'): "`query.measure.field` must be left out",
    _query('"measure": {"op": "percent"}'): "`query.measure.where` is required for percent.",
    _query(
        '"measure": {"op": "count", "where": {"field": "stars", "op": "isSet"}}'
    ): "`query.measure.where` is for percent",
    _filter(
        '"field": "stars", "op": "like", "value": 1'
    ): "`query.filters[1].op` must be one of is, isNot, gt,",
    _filter('"field": "stars", "op": "is"'): "`query.filters[1].value` is required for is.",
    _filter('"field": "stars", "op": "isSet", "value": 1'): "`query.filters[1].value` must be left out",
    _filter('"field": "stars", "op": "is", "value": "5"'): "`query.filters[1].value` must be a number",
    _filter('"field": "stars", "op": "is", "value": true'): "`query.filters[1].value` must be a number",
    _filter(
        '"field": "stars", "op": "in", "value": 5'
    ): "`query.filters[1].value` must be a list of 1 to 50 values",
    _filter(
        '"field": "stars", "op": "in", "value": [1, "2"]'
    ): "`query.filters[1].value[1]` must be a number",
    _filter(f'"field": "stars", "op": "in", "value": {list(range(51))}'): "must be a list of 1 to 50 values",
    _filter(
        '"field": "hasNote", "op": "is", "value": "yes"'
    ): "`query.filters[1].value` must be true or false",
    _filter(
        '"field": "resolvedBy", "op": "is", "value": "bot"'
    ): "`query.filters[1].value` must be one of agent, team.",
}

UNKNOWN = {
    _query(
        '"groupBy": "colour"'
    ): "`query.groupBy`: 'colour' is not a field of ratings. Allowed: stars, hasNote,",
    _query('"groupBy": "at"'): "`query.groupBy`: 'at' is a field of another type in ratings.",
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


def test_a_list_of_values_may_be_of_true_and_false() -> None:
    dataset = DATASETS["ratings"]
    sent = FilterInput.model_validate({"field": "hasNote", "op": "in", "value": [True]})
    passes = condition(dataset, sent, "query.filters[0]")
    row: list[Any] = [None] * len(dataset.fields)
    found = []
    for value in (True, False, None):
        row[dataset.places["hasNote"]] = value
        found.append(passes(row))
    assert found == [True, False, False]


def test_a_percentile_is_one_of_the_values() -> None:
    values: list[Any] = [40, 10, 30, None, 20]
    measured = {op: computed(op, values) for op in Measure if op not in {Measure.PERCENT, Measure.COUNT}}
    assert measured == {
        Measure.DISTINCT: 4, Measure.SUM: 100, Measure.AVG: 25, Measure.MEDIAN: 20, Measure.P75: 30,
        Measure.P90: 40, Measure.P95: 40, Measure.P99: 40, Measure.MIN: 10, Measure.MAX: 40,
    }  # fmt: skip


def test_only_a_count_and_a_sum_of_nothing_are_zero() -> None:
    empty = {op for op in Measure if computed(op, []) == 0}
    assert empty == {Measure.COUNT, Measure.DISTINCT, Measure.SUM}
    assert {computed(op, []) for op in Measure if op not in empty} == {None}


def test_a_window_ends_with_the_present_day_unless_it_has_a_start() -> None:
    assert window_of(7, None, NOW) == Window(SUNDAY - 6 * DAY, SUNDAY + DAY)
    assert window_of(7, 5, NOW) == Window(5, 5 + 7 * DAY)


def test_weeks_begin_on_monday_and_say_where_the_window_cuts_them() -> None:
    window = Window(SUNDAY - 8 * DAY, SUNDAY + DAY)
    assert slots(Bucket.WEEK, window, NOW) == [
        Slot(SUNDAY - 8 * DAY, SUNDAY - 6 * DAY, partial=True),
        Slot(SUNDAY - 6 * DAY, SUNDAY + DAY, partial=True),  # not over
    ]
    assert slots(Bucket.WEEK, window, SUNDAY + DAY)[1].partial is False


def test_every_dataset_of_the_specification_is_there() -> None:
    assert list(DATASETS) == [
        "conversations", "ratings", "signals", "logs", "knowledgeDocs", "knowledgeSuggestions", "toolRequests",
        "toolRuns", "customers", "tasks", "usageEvents", "messages",
    ]  # fmt: skip
