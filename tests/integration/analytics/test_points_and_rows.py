"""Whatever is explored: the rows of a point's window are exactly those that the point measures."""

import random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.analytics import repository
from helpdesk.analytics.datasets import DATASETS, DatasetField, FieldType
from helpdesk.analytics.rows import Fact, usage_of_call, usage_of_message
from helpdesk.platform import clock, ids
from tests.support import effort
from tests.support.api import Client
from tests.unit.analytics import generated, naive
from tests.unit.analytics.generated import DAY, NOW

_ROWS = 25
_PREFIXES = {"toolRuns": "call", "signals": "signal"}
"""Datasets whose rows can be up to two days younger than their ids."""


class Stored(NamedTuple):
    """The API of an organization, and its rows by dataset."""

    api: Client
    rows: dict[str, naive.Rows]


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, make_organization: Any) -> Stored:
    """Put rows of every dataset."""
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    organization: NewOrganization = make_organization(unlimited_api=True)
    chance = random.Random(15)
    rows: dict[str, naive.Rows] = {dataset: [] for dataset in DATASETS}
    for dataset in DATASETS.values():
        for _ in range(_ROWS):
            # Many in few days, and some in months before the window and after it.
            default = NOW - chance.choice([chance.randrange(-DAY, 6 * DAY), chance.randrange(80 * DAY)])
            times = [default, *(_later(chance, default) for _ in dataset.times[1:])]
            values = [*times, *(_value(chance, field) for field in dataset.others), "A row"]
            made = default - chance.randrange(2 * DAY) if dataset.id in _PREFIXES else default
            identifier = f"{_PREFIXES.get(dataset.id, 'row')}_{ids.ulid(made)}"
            repository.put(organization.organization_id, Fact(dataset.id, identifier, values))
            rows[dataset.id].append((identifier, values))
    for source, usage in (("messages", usage_of_message), ("toolRuns", usage_of_call)):
        rows["usageEvents"] += [
            (fact.id, fact.values) for name, values in rows[source] for fact in usage(values, name)
        ]
    return Stored(Client(organization.secret_key), rows)


def _later(chance: random.Random, at: int) -> int | None:
    return chance.choice([None, at, at + chance.randrange(40 * DAY)])


def _value(chance: random.Random, field: DatasetField) -> Any:
    if chance.random() < 0.25:
        return None
    return {
        FieldType.ID: chance.choice(["id_1", "id_2", "id_3"]),
        FieldType.STRING: chance.choice(["", "a", "B", "ab", "Zoë", "ß", "order 12", "=1+1"]),
        FieldType.ENUM: chance.choice(field.values or ("-",)),
        FieldType.NUMBER: chance.randrange(-2, 6),
        FieldType.DURATION: chance.choice([0, 5, chance.randrange(10**7)]),
        FieldType.BOOLEAN: chance.random() < 0.5,
    }[field.type]


@st.composite
def _requests(draw: st.DrawFn) -> dict[str, Any]:
    return draw(generated.requests(draw(st.sampled_from(list(DATASETS)))))


def _where(body: dict[str, Any], keys: list[str], key: str) -> list[dict[str, Any]]:
    """Return the filters that let through the rows of a series."""
    name = body["query"].get("groupBy")
    if name is None:
        return []
    [field] = [each for each in DATASETS[body["query"]["dataset"]].fields if each.id == name]
    if key == "__none":
        return [{"field": name, "op": "isNotSet"}]
    if key != "__other":
        return [{"field": name, "op": "is", "value": _of_key(field, key)}]
    named = [_of_key(field, each) for each in keys if each not in {"__none", "__other"}]
    found: list[dict[str, Any]] = [{"field": name, "op": "notIn", "value": named}]
    return [*found, {"field": name, "op": "isSet"}] if "__none" in keys else found


def _of_key(field: DatasetField, key: str) -> Any:
    if field.type in {FieldType.NUMBER, FieldType.DURATION, FieldType.TIME}:
        return int(key)
    return key == "true" if field.type is FieldType.BOOLEAN else key


def _records(api: Client, body: dict[str, Any], filters: list[dict[str, Any]], **window: Any) -> Any:
    """Return the rows that pass the filters of a query, and these."""
    query = {name: value for name, value in body["query"].items() if name in {"dataset", "when", "match"}}
    own = body["query"].get("filters", [])
    rest: dict[str, Any] = {name: body[name] for name in ("from", "days") if name in body}
    sent: dict[str, Any] = {**rest, **window, "query": {**query, "filters": [*own, *filters]}, "limit": 200}
    answer = api.post("/v1/analytics/records", sent)
    assert answer.status == 200, answer.body
    assert answer.body["matched"] == len(answer.body["rows"])
    return answer.body


def _slot(bucket: str, at: int) -> int:
    # 1970 began on a Thursday.
    return at // 3_600_000 % 24 if bucket == "hour" else (at // DAY + 3) % 7


def _in_window(
    api: Client, body: dict[str, Any], filters: list[dict[str, Any]], point: dict[str, Any], days: Any
) -> list[Any]:
    """Return the rows of a point's window, with `from` and `days` if it has whole days, else by filters on its time."""
    bucket, at, end = body["query"]["bucket"], point["at"], point["end"]
    if bucket in {"hour", "weekday"}:
        rows = _records(api, body, filters, **days)["rows"]
        return [row for row in rows if _slot(bucket, row["at"]) == at]
    if (end - at) % DAY == 0:
        return list(_records(api, body, filters, **{"from": at, "days": (end - at) // DAY})["rows"])
    time = body["query"]["when"].get("field") or DATASETS[body["query"]["dataset"]].times[0].id
    between = [{"field": time, "op": "gte", "value": at}, {"field": time, "op": "lt", "value": end}]
    return list(_records(api, body, [*filters, *between], **days)["rows"])


def test_the_rows_of_a_points_window_are_exactly_those_that_it_measures(stored: Stored) -> None:
    @settings(
        max_examples=effort.of(15, 1_500),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(_requests(), st.randoms(use_true_random=False))
    def check(body: dict[str, Any], chance: random.Random) -> None:
        body["query"].pop(
            "match", None
        )  # filters of a series and a window have to hold beside those of the query
        explored = stored.api.post("/v1/analytics/explore", body)
        assert explored.status == 200, explored.body
        there = naive.matched(body, stored.rows[body["query"]["dataset"]], *naive.window(body, NOW))
        assert {row["id"] for row in _records(stored.api, body, [])["rows"]} == {name for name, _ in there}
        assert explored.body["matched"] == len(there)
        keys = [series["key"] for series in explored.body["series"]]
        start, end = naive.window(body, NOW)
        earlier = {"from": start - (end - start), "days": (end - start) // DAY}
        windows: dict[str, dict[str, int]] = {"series": {}, "previous": earlier}
        for which, window in windows.items():
            found = explored.body[which] or []
            for series in chance.sample(found, min(3, len(found))):
                filters = _where(body, keys, series["key"])
                rows = _records(stored.api, body, filters, **window)["rows"]
                assert naive.measure(body, _pairs(rows)) == series["total"]
                full = [point for point in series["points"] if point["value"]]
                points = chance.sample(full, min(3, len(full))) + series["points"][:1] + series["points"][-1:]
                for point in points:
                    own = _in_window(stored.api, body, filters, point, window)
                    assert naive.measure(body, _pairs(own)) == point["value"]
                    assert {row["id"] for row in own} <= {row["id"] for row in rows}
        if body["query"].get("other", True):
            groups = [_records(stored.api, body, _where(body, keys, key))["matched"] for key in keys]
            assert sum(groups) == len(there)

    check()


def _pairs(rows: list[Any]) -> list[tuple[str, list[Any]]]:
    return [(row["id"], row["values"]) for row in rows]
