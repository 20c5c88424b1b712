"""Hypothesis strategies for rows of a dataset and for valid requests about them."""

from typing import Any

from hypothesis import strategies as st

from helpdesk.analytics.datasets import DATASETS, DatasetField, FieldType

DAY = 86_400_000
NOW = 1_763_900_000_000 + 12_345_678
"""In November 2025, no midnight."""

_WORDS = ["", "a", "B", "ab", "Zoë", "__other", "ß", "order 12"]
_OPS = {
    FieldType.NUMBER: ["is", "isNot", "gt", "gte", "lt", "lte", "in", "notIn", "isSet", "isNotSet"],
    FieldType.STRING: ["is", "isNot", "contains", "notContains", "in", "notIn", "isSet", "isNotSet"],
    FieldType.ID: ["is", "isNot", "in", "notIn", "isSet", "isNotSet"],
}
_OPS[FieldType.BOOLEAN] = _OPS[FieldType.ENUM] = _OPS[FieldType.ID]
_OPS[FieldType.DURATION] = _OPS[FieldType.TIME] = _OPS[FieldType.NUMBER]


def values_of(field: DatasetField) -> st.SearchStrategy[Any]:
    """Return values of a field, few enough that rows share them."""
    return {
        FieldType.ID: st.sampled_from(["id_1", "id_2", "id_3"]),
        FieldType.STRING: st.sampled_from(_WORDS),
        FieldType.ENUM: st.sampled_from(field.values or ("-",)),
        FieldType.NUMBER: st.integers(-3, 12),
        FieldType.DURATION: st.integers(0, 12) | st.integers(0, 10**9),
        FieldType.TIME: st.integers(NOW - 70 * DAY, NOW + 2 * DAY)
        | st.integers(-3, 3).map(lambda day: NOW - NOW % DAY + day * DAY),
        FieldType.BOOLEAN: st.booleans(),
    }[field.type]


@st.composite
def rows(draw: st.DrawFn, dataset: str) -> list[tuple[str, list[Any]]]:
    """Return up to 14 rows of a dataset."""
    info = DATASETS[dataset]
    found = []
    for number in range(draw(st.integers(0, 14))):
        values = [draw(values_of(info.fields[0]))]
        values += [draw(st.none() | values_of(field)) for field in info.fields[1:]]
        found.append((f"row_{number:02d}", [*values, "title"]))
    return found


@st.composite
def filters(draw: st.DrawFn, dataset: str) -> dict[str, Any]:
    """Return a filter on any field."""
    field = draw(st.sampled_from(DATASETS[dataset].fields))
    op = draw(st.sampled_from(_OPS[field.type]))
    if op in {"isSet", "isNotSet"}:
        return {"field": field.id, "op": op}
    if op in {"in", "notIn"}:
        return {
            "field": field.id,
            "op": op,
            "value": draw(st.lists(values_of(field), max_size=3)),
        }
    return {"field": field.id, "op": op, "value": draw(values_of(field))}


@st.composite
def measures(draw: st.DrawFn, dataset: str) -> dict[str, Any]:
    """Return a measure that the dataset has."""
    fields = DATASETS[dataset].fields
    numeric = [field.id for field in fields if field.type.is_numeric]
    countable = [
        field.id for field in fields if field.type in {FieldType.ID, FieldType.STRING, FieldType.ENUM}
    ]
    choices: list[st.SearchStrategy[dict[str, Any]]] = [
        st.just({"op": "count"}),
        st.builds(lambda where: {"op": "percent", "where": where}, filters(dataset)),
    ]
    if countable:
        choices.append(st.builds(lambda f: {"op": "distinct", "field": f}, st.sampled_from(countable)))
    if numeric:
        ops = ["sum", "avg", "median", "p75", "p90", "p95", "p99", "min", "max"]
        choices.append(
            st.builds(lambda op, f: {"op": op, "field": f}, st.sampled_from(ops), st.sampled_from(numeric))
        )
    return draw(st.one_of(choices))


@st.composite
def requests(draw: st.DrawFn, dataset: str) -> dict[str, Any]:
    """Return the body of a request about a dataset."""
    info = DATASETS[dataset]
    groupable = [field.id for field in info.fields]
    scope = draw(st.sampled_from(["range", "range", "range", "all"]))
    bucket = draw(
        st.sampled_from([None, "hour", "weekday", *(["day", "week", "month"] if scope == "range" else [])])
    )
    optional: dict[str, Any] = {
        "filters": st.lists(filters(dataset), max_size=3),
        "match": st.sampled_from(["all", "any"]),
        "groupBy": st.sampled_from(groupable),
        "top": st.integers(1, 5),
        "order": st.sampled_from(["natural", "largest", "smallest"]),
        "other": st.booleans(),
        "compare": st.booleans(),
    }
    query: dict[str, Any] = draw(
        st.fixed_dictionaries({"dataset": st.just(dataset), "measure": measures(dataset)}, optional=optional)
    )
    if bucket is not None:
        query["bucket"] = bucket
    query["when"] = {"scope": scope}
    if draw(st.booleans()):
        query["when"]["field"] = draw(st.sampled_from(info.times)).id
    body: dict[str, Any] = {"query": query}
    if draw(st.booleans()):
        body["days"] = draw(st.integers(1, 40))
    if draw(st.booleans()):
        body["from"] = NOW - draw(st.integers(0, 40)) * DAY - draw(st.sampled_from([0, NOW % DAY]))
    if draw(st.booleans()):
        by = draw(st.sampled_from(["time", *(field.id for field in info.fields)]))
        body["sort"] = {"by": by, "direction": draw(st.sampled_from(["asc", "desc"]))}
    body["limit"] = draw(st.integers(1, 20))
    return body
