"""What a query means: its filters, measures, windows and buckets."""

from typing import Any

from helpdesk.analytics.aggregation import computed
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.query import condition, plan
from helpdesk.analytics.query_schemas import ExploreInput, FilterInput, Measure
from helpdesk.analytics.windows import Bucket, Slot, Window, slots, window_of
from tests.support.rules import for_each

SUNDAY = 1_763_856_000_000  # 2025-11-23T00:00:00Z
HOUR, DAY = 3_600_000, 86_400_000
NOW = SUNDAY + 14 * HOUR


def test_a_list_may_be_empty_and_a_part_of_a_text_too() -> None:
    ratings, logs = DATASETS["ratings"], DATASETS["logs"]
    none_of = condition(ratings, FilterInput(field="stars", op="in", value=[]), "query.filters[0]")
    all_but_none = condition(ratings, FilterInput(field="stars", op="notIn", value=[]), "query.filters[0]")
    any_text = condition(logs, FilterInput(field="actor", op="contains", value=""), "query.filters[0]")
    row = [1, 5, *[None] * 6]
    assert (none_of(row), all_but_none(row)) == (False, True)
    assert (any_text([1, "k", "Ada", ""]), any_text([1, "k", None, ""])) == (True, False)


@for_each("op, field, unit", [
    ("count", None, "number"), ("distinct", "subject", "number"), ("avg", "messages", "number"),
    ("median", "resolutionTime", "milliseconds"), ("sum", "firstResponseTime", "milliseconds"),
    ("percent", None, "percent"),
])  # fmt: skip
def test_a_measure_has_a_unit(op: str, field: str | None, unit: str) -> None:
    where = {"field": "resolutionTime", "op": "gt", "value": 1} if op == "percent" else None
    query = {"dataset": "conversations", "measure": {"op": op, "field": field, "where": where}}
    assert plan(ExploreInput.model_validate({"query": query}), NOW).measured.unit == unit


def test_every_kind_of_field_can_split_a_query() -> None:
    for field in DATASETS["conversations"].fields:
        query = {"dataset": "conversations", "groupBy": field.id}
        assert plan(ExploreInput.model_validate({"query": query}), NOW).group == field


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
