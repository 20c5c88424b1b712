"""Turns a request into a plan: the places of its fields, its conditions as functions, every default filled in.

Specification: POST /analytics/records. A malformed request raises InvalidRequest, and a field or a measure that the
dataset lacks raises InvalidQuery. Both name the part of the body by its path and list what is allowed.
"""

from collections.abc import Callable, Sequence
from typing import Any

from helpdesk.analytics.datasets import DATASETS, Dataset, DatasetField, FieldType, Values
from helpdesk.analytics.errors import InvalidQuery
from helpdesk.analytics.query_schemas import (
    DEFAULT_DAYS,
    DEFAULT_ROWS,
    DEFAULT_TOP,
    MAX_LISTED_VALUES,
    ExploreInput,
    FilterInput,
    Measure,
    MeasureInput,
    Op,
    Order,
    QueryInput,
    Unit,
)
from helpdesk.analytics.windows import ALL_TIME, Bucket, Window, window_of
from helpdesk.api.http.unknown_names import did_you_mean
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.record import Record

type Condition = Callable[[Values], bool]

TIME = "time"
"""What `sort.by` calls the instant that places a row."""

_SHOWN = 64  # characters of a name that no field has
_COMPARISONS = {Op.GT, Op.GTE, Op.LT, Op.LTE}
_TEXTS = {Op.CONTAINS, Op.NOT_CONTAINS}
_LISTS = {Op.IN, Op.NOT_IN}
_FOR_SEVERAL = {Op.IS: Op.IN, Op.IS_NOT: Op.NOT_IN}
_BARE = {Op.IS_SET, Op.IS_NOT_SET}
_ANY = {Op.IS, Op.IS_NOT} | _LISTS | _BARE
_OPS = {
    FieldType.ID: _ANY,
    FieldType.STRING: _ANY | _TEXTS,
    FieldType.ENUM: _ANY,
    FieldType.NUMBER: _ANY | _COMPARISONS,
    FieldType.DURATION: _ANY | _COMPARISONS,
    FieldType.TIME: _ANY | _COMPARISONS,
    FieldType.BOOLEAN: _ANY,
}
_COUNTABLE = {FieldType.ID, FieldType.STRING, FieldType.ENUM}
_EXPECTED = {
    FieldType.ID: "text",
    FieldType.STRING: "text",
    FieldType.NUMBER: "a number",
    FieldType.DURATION: "a number of milliseconds",
    FieldType.TIME: "a number of milliseconds since 1970",
    FieldType.BOOLEAN: "true or false",
}


class Measured(Record):
    """What is computed: of the value at a place, of rows, or for a share of the rows that pass a condition."""

    op: Measure
    place: int | None
    where: Condition | None
    unit: Unit


class Plan(Record, kw_only=True):
    """A query that can be carried out. `time_place` is where the instant is that places a row."""

    dataset: Dataset
    measured: Measured
    passes: Condition
    group: DatasetField | None
    top: int
    order: Order
    other: bool
    bucket: Bucket | None
    time_place: int
    window: Window
    previous: Window | None
    """The window before, if the query compares."""


class Listing(Record):
    """Which rows are listed, and what of them. `sort_place` is None for the instant that places a row."""

    sort_place: int | None
    ascending: bool
    places: tuple[int, ...]
    names: tuple[str, ...]
    limit: int


def plan(body: ExploreInput, now: int) -> Plan:
    """Return the plan of a request at an instant (ms). Raises InvalidRequest and InvalidQuery."""
    query = body.query
    dataset = DATASETS[query.dataset]
    bucket = None if query.bucket is None else Bucket(query.bucket)
    everything = query.when is not None and query.when.scope == "all"
    if everything and bucket is not None and bucket.needs_range:
        raise InvalidRequest(
            f"`query.bucket` {bucket.value} requires a window. Leave out `query.when.scope`, or use hour or weekday."
        )
    window = ALL_TIME if everything else window_of(body.days or DEFAULT_DAYS, body.start, now)
    compares = bool(query.compare) and not everything
    return Plan(
        dataset=dataset,
        measured=_measured(dataset, query.measure),
        passes=_all_conditions(dataset, query),
        group=_group(dataset, query.group_by),
        top=query.top or DEFAULT_TOP,
        order=Order(query.order or Order.NATURAL),
        other=query.other is not False,
        bucket=bucket,
        time_place=_time_place(dataset, query),
        window=window,
        previous=window.before() if compares else None,
    )


def of_rows(body: ExploreInput) -> ExploreInput:
    """Return the request of rows that an explore query stands for: how it measures and groups them makes no difference.

    Raises InvalidQuery for a field that the dataset does not have, which is a mistake in either request.
    """
    query = body.query
    dataset = DATASETS[query.dataset]
    _group(dataset, query.group_by)
    if query.measure is not None and query.measure.field is not None:
        _place(dataset, query.measure.field, "query.measure.field")
    if query.measure is not None and query.measure.where is not None:
        _place(dataset, query.measure.where.field, "query.measure.where.field")
    rows = query.model_copy(update={"measure": None, "group_by": None, "bucket": None})
    return body.model_copy(update={"query": rows})


def listing(body: ExploreInput, dataset: Dataset) -> Listing:
    """Return which rows to list, and what of them. Raises InvalidQuery."""
    place, ascending = None, False
    if body.sort is not None:
        ascending = body.sort.direction == "asc"
        if body.sort.by != TIME:
            place = _place(dataset, body.sort.by, "sort.by", also=(TIME,))
    names = tuple(dataset.places) if body.fields is None else tuple(body.fields)
    places = tuple(_place(dataset, name, f"fields[{index}]") for index, name in enumerate(names))
    return Listing(place, ascending, places, names, body.limit or DEFAULT_ROWS)


def _place(
    dataset: Dataset,
    name: str,
    path: str,
    types: Sequence[FieldType] = tuple(FieldType),
    also: Sequence[str] = (),
) -> int:
    """Return where a field is. Raises InvalidQuery if the dataset has no such field, or it is of another type."""
    place = dataset.places.get(name)
    if place is None or dataset.fields[place].type not in types:
        allowed = [*also, *(field.id for field in dataset.fields if field.type in types)]
        problem = "is not a field of" if place is None else "is a field of another type in"
        choice = f"Allowed: {', '.join(allowed)}." if allowed else "The dataset has no field that fits."
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
        raise InvalidQuery(f"`{path}`: {shown!r} {problem} {dataset.id}. {choice}")
    return place


def _time_place(dataset: Dataset, query: QueryInput) -> int:
    if query.when is None or query.when.field is None:
        return 0
    return _place(dataset, query.when.field, "query.when.field", (FieldType.TIME,))


def _group(dataset: Dataset, name: str | None) -> DatasetField | None:
    if name is None:
        return None
    return dataset.fields[_place(dataset, name, "query.groupBy")]


def _measured(dataset: Dataset, sent: MeasureInput | None) -> Measured:
    if sent is None:
        return Measured(Measure.COUNT, None, None, Unit.NUMBER)
    op = Measure(sent.op)
    path = "query.measure"
    takes_field = op not in {Measure.COUNT, Measure.PERCENT}
    if takes_field and sent.field is None:
        raise InvalidRequest(f"`{path}.field` is required for {op.value}.")
    if not takes_field and sent.field is not None:
        raise InvalidRequest(f"`{path}.field` must be omitted, because {op.value} uses no field.")
    if op is Measure.PERCENT and sent.where is None:
        raise InvalidRequest(f"`{path}.where` is required for percent.")
    if op is not Measure.PERCENT and sent.where is not None:
        raise InvalidRequest(f"`{path}.where` is only for percent. To leave rows out, use `query.filters`.")
    types = _COUNTABLE if op is Measure.DISTINCT else {each for each in FieldType if each.is_numeric}
    place = None if sent.field is None else _place(dataset, sent.field, f"{path}.field", tuple(types))
    where = None if sent.where is None else condition(dataset, sent.where, f"{path}.where")
    return Measured(op, place, where, _unit(dataset, op, place))


def _unit(dataset: Dataset, op: Measure, place: int | None) -> Unit:
    if op is Measure.PERCENT:
        return Unit.PERCENT
    is_duration = place is not None and dataset.fields[place].type is FieldType.DURATION
    return Unit.MILLISECONDS if is_duration else Unit.NUMBER


def _all_conditions(dataset: Dataset, query: QueryInput) -> Condition:
    found = [
        condition(dataset, sent, f"query.filters[{index}]") for index, sent in enumerate(query.filters or ())
    ]
    if not found:
        return lambda _: True
    if len(found) == 1:
        return found[0]
    if query.match == "any":
        return lambda row: any(each(row) for each in found)
    return lambda row: all(each(row) for each in found)


def condition(dataset: Dataset, sent: FilterInput, path: str) -> Condition:
    """Return a filter as a function of a row's values. Raises InvalidRequest and InvalidQuery.

    A row with nothing in the field passes isNot, notContains, notIn and isNotSet, and no other filter.
    """
    place = _place(dataset, sent.field, f"{path}.field")
    field, op = dataset.fields[place], Op(sent.op)
    if op not in _OPS[field.type]:
        allowed = ", ".join(each.value for each in Op if each in _OPS[field.type])
        raise InvalidQuery(
            f"`{path}.op`: {op.value} does not fit {field.id}, whose type is {field.type.value}. Allowed: {allowed}."
        )
    if op in _BARE:
        if sent.value is not None:
            raise InvalidRequest(f"`{path}.value` must be omitted, because {op.value} takes no value.")
        return _presence(op, place)
    if sent.value is None:
        raise InvalidRequest(f"`{path}.value` is required for {op.value}.")
    if op in _LISTS:
        return _membership(op, place, _list(field, sent.value, f"{path}.value", op))
    several = _FOR_SEVERAL.get(op) if isinstance(sent.value, list) else None
    _require(field, sent.value, f"{path}.value", f" For a list, use `{several.value}`." if several else "")
    return _comparison(op, place, sent.value)


def _list(field: DatasetField, value: Any, path: str, op: Op) -> frozenset[Any]:
    if not isinstance(value, list) or len(value) > MAX_LISTED_VALUES:
        raise InvalidRequest(f"`{path}` must be a list of at most {MAX_LISTED_VALUES} values for {op.value}.")
    for index, each in enumerate(value):
        _require(field, each, f"{path}[{index}]")
    return frozenset(value)


def _require(field: DatasetField, value: Any, path: str, advice: str = "") -> None:
    """Raise InvalidRequest, with a further sentence of advice, unless a value is of the field's type."""
    if field.type is FieldType.ENUM:
        if value not in field.values:
            meant = did_you_mean(value, field.values)
            raise InvalidRequest(f"`{path}` must be one of {', '.join(field.values)}.{meant}{advice}")
        return
    if field.type is FieldType.BOOLEAN:
        fits = isinstance(value, bool)
    elif field.type in {FieldType.ID, FieldType.STRING}:
        fits = isinstance(value, str)
    else:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fits:
        raise InvalidRequest(f"`{path}` must be {_EXPECTED[field.type]}, because {field.id} is.{advice}")


def _presence(op: Op, place: int) -> Condition:
    if op is Op.IS_SET:
        return lambda row: row[place] is not None
    return lambda row: row[place] is None


def _membership(op: Op, place: int, wanted: frozenset[Any]) -> Condition:
    if op is Op.IN:
        return lambda row: row[place] in wanted
    return lambda row: row[place] not in wanted


def _comparison(op: Op, place: int, wanted: Any) -> Condition:
    if op in _TEXTS:
        part = wanted.casefold()
        if op is Op.CONTAINS:
            return lambda row: row[place] is not None and part in row[place].casefold()
        return lambda row: row[place] is None or part not in row[place].casefold()
    conditions: dict[Op, Condition] = {
        Op.IS: lambda row: row[place] == wanted,
        Op.IS_NOT: lambda row: row[place] != wanted,
        Op.GT: lambda row: row[place] is not None and row[place] > wanted,
        Op.GTE: lambda row: row[place] is not None and row[place] >= wanted,
        Op.LT: lambda row: row[place] is not None and row[place] < wanted,
        Op.LTE: lambda row: row[place] is not None and row[place] <= wanted,
    }
    return conditions[op]
