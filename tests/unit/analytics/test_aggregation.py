"""Explore and records agree with a second implementation, for random rows and random queries."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.analytics import aggregation
from helpdesk.analytics.aggregation import Found, explore, listed, matching
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.query import listing, plan
from helpdesk.analytics.query_schemas import ExploreInput, Series
from tests.support import effort
from tests.unit.analytics import generated, naive
from tests.unit.analytics.generated import NOW


@st.composite
def _cases(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[str, list[Any]]]]:
    dataset = draw(st.sampled_from(list(DATASETS)))
    return draw(generated.requests(dataset)), draw(generated.rows(dataset))


@settings(max_examples=effort.of(25, 3_000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_cases())
def test_a_second_implementation_finds_the_same_numbers_and_rows(
    case: tuple[dict[str, Any], list[tuple[str, list[Any]]]],
) -> None:
    body, rows = case
    request = ExploreInput.model_validate(body)
    made = plan(request, NOW)
    found = [Found(identifier, values) for identifier, values in rows]
    present = matching(made, found, made.window)
    previous = None if made.previous is None else matching(made, found, made.previous)

    series, before = explore(made, present, previous, NOW)
    assert (_tuples(series), None if before is None else _tuples(before)) == naive.explore(body, rows, NOW)

    shown = listed(made, listing(request, made.dataset), present)
    assert [row.id for row in shown] == naive.records(body, rows, NOW)


def test_only_the_groups_that_are_shown_have_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(aggregation._Cells, "__init__", _counting(made, aggregation._Cells.__init__))
    body = {
        "query": {"dataset": "ratings", "groupBy": "customer", "bucket": "day", "top": 3},
        "days": 366,
    }
    request = plan(ExploreInput.model_validate(body), NOW)
    places = request.dataset.places
    rows = [Found(f"rat_{number}", [NOW, *[None] * len(places)]) for number in range(50)]
    for number, row in enumerate(rows):
        row.values[places["customer"]] = f"cus_{number}"

    series, _ = explore(request, rows, None, NOW)

    assert [(each.key, each.total) for each in series] == [("cus_0", 1), ("cus_1", 1), ("__other", 48)]
    assert made == [366] * 3


def test_a_text_that_is_called_as_a_fold_has_a_key_of_its_own() -> None:
    body = {"query": {"dataset": "ratings", "groupBy": "customer", "top": 3}, "days": 366}
    request = plan(ExploreInput.model_validate(body), NOW)
    places = request.dataset.places
    texts = [None, None, None, "__none", "__none", "__other", "a", "b"]
    rows = [Found(f"rat_{number}", [NOW, *[None] * len(places)]) for number in range(len(texts))]
    for text, row in zip(texts, rows, strict=True):
        row.values[places["customer"]] = text

    series, _ = explore(request, rows, None, NOW)

    assert [(each.key, each.label, each.total) for each in series] == [
        ("___none", "__none", 2),
        ("__none", "None", 3),
        ("__other", "Other", 3),
    ]


def _counting(made: list[int], original: Any) -> Any:
    def count(self: Any, slots: int) -> None:
        made.append(slots)
        original(self, slots)

    return count


def _tuples(series: list[Series]) -> list[Any]:
    return [(each.key, each.total, [(point.at, point.value) for point in each.points]) for each in series]
