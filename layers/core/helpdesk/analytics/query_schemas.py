"""Requests and responses of exploring datasets (Specification: POST /analytics/explore, POST /analytics/records)."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from helpdesk.analytics.datasets import DATASETS, FieldType
from helpdesk.analytics.windows import Bucket
from helpdesk.api.http.schemas import Answer, Body, Milliseconds, schema_hint
from helpdesk.api.http.unknown_names import NotOneOf

MAX_SCANNED = 20_000
"""How many rows of a window are read, the newest."""
DEFAULT_ROWS, MAX_ROWS = 50, 200
DEFAULT_DAYS, MAX_DAYS = 30, 366
DEFAULT_TOP, MAX_TOP = 8, 20
MAX_FILTERS = 50
MAX_LISTED_VALUES = 50
"""How many values `in` and `notIn` take (Specification: query.filters)."""
MAX_FROM_MS = 4_102_444_800_000
"""The last start of a window: the year 2100. A month of a later year could not be written as four digits one day."""


class Op(StrEnum):
    """How a filter compares."""

    IS = "is"
    IS_NOT = "isNot"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    CONTAINS = "contains"
    NOT_CONTAINS = "notContains"
    IN = "in"
    NOT_IN = "notIn"
    IS_SET = "isSet"
    IS_NOT_SET = "isNotSet"


class Measure(StrEnum):
    """What is computed from rows. Percentiles are by nearest rank, so that each is the value of a row."""

    COUNT = "count"
    DISTINCT = "distinct"
    SUM = "sum"
    AVG = "avg"
    MEDIAN = "median"
    P75 = "p75"
    P90 = "p90"
    P95 = "p95"
    P99 = "p99"
    MIN = "min"
    MAX = "max"
    PERCENT = "percent"


class Unit(StrEnum):
    """What a figure counts."""

    NUMBER = "number"
    MILLISECONDS = "milliseconds"
    PERCENT = "percent"


class Order(StrEnum):
    """The order of series."""

    NATURAL = "natural"
    LARGEST = "largest"
    SMALLEST = "smallest"


def _within(first: int, last: int) -> Any:
    def check(value: int) -> int:
        if not first <= value <= last:
            raise ValueError(f"must be a whole number from {first} to {last}")
        return value

    return AfterValidator(check)


def _at_most(most: int) -> Any:
    def check(value: list[Any]) -> list[Any]:
        if len(value) > most:
            raise ValueError(f"must have at most {most} entries")
        return value

    return AfterValidator(check)


def _one_of(allowed: list[str]) -> Any:
    """Return a check of text against values, which its message lists."""

    def check(value: str) -> str:
        if value not in allowed:
            raise NotOneOf(allowed)
        return value

    return AfterValidator(check)


def _choice(kind: type[StrEnum]) -> tuple[Any, Any]:
    allowed = [member.value for member in kind]
    return _one_of(allowed), schema_hint(enum=allowed)


_OP, _OP_HINT = _choice(Op)
_MEASURE, _MEASURE_HINT = _choice(Measure)
_ORDER, _ORDER_HINT = _choice(Order)
_BUCKET, _BUCKET_HINT = _choice(Bucket)
_DATASET = _one_of(list(DATASETS))


class FilterInput(Body):
    """A condition on a field."""

    field: str
    op: Annotated[str, _OP, _OP_HINT]
    """`contains` and `notContains` are for text and ignore case; `gt`, `gte`, `lt`, `lte` are for numbers and times."""
    value: Any = None
    """Text, a number, true or false; a list of up to 50 of them for `in` and `notIn`; none for `isSet`, `isNotSet`."""


class MeasureInput(Body):
    """What to compute."""

    op: Annotated[str, _MEASURE, _MEASURE_HINT]
    field: str | None = None
    """The field to read: an ID, text or enumeration for `distinct`, else a number or duration. None for `count`."""
    where: FilterInput | None = None
    """For `percent` alone: the share of rows that pass it, from 0 to 100."""


class WhenInput(Body):
    """What places a row in time."""

    field: str | None = None
    """A time field; the dataset's first unless given. A row with nothing in it is left out."""
    scope: Literal["range", "all"] | None = None
    """`range` is the window, `all` is all time."""


class QueryInput(Body):
    """A query of a dataset."""

    dataset: Annotated[str, _DATASET, schema_hint(enum=list(DATASETS))]
    measure: MeasureInput | None = None
    """The number of rows unless given."""
    filters: Annotated[list[FilterInput], _at_most(MAX_FILTERS)] | None = None
    match: Literal["all", "any"] | None = None
    """Whether a row has to pass every filter (the default) or one."""
    group_by: str | None = None
    """The field to split into series by; rows with nothing in it are the series `__none`."""
    top: (
        Annotated[int, _within(1, MAX_TOP), schema_hint(minimum=1, maximum=MAX_TOP, default=DEFAULT_TOP)]
        | None
    ) = None
    """How many series there are; the last place goes to `__other` if there are more groups."""
    order: Annotated[str, _ORDER, _ORDER_HINT] | None = None
    other: bool | None = None
    """False drops the groups past `top`, instead of adding them up as `__other`."""
    bucket: Annotated[str, _BUCKET, _BUCKET_HINT] | None = None
    when: WhenInput | None = None
    compare: bool | None = None
    """Also measure the same number of days before the window; ignored if the scope is all time."""


class SortInput(Body):
    """The order of rows. Rows with nothing in the field come last."""

    by: str
    """`time` or a field."""
    direction: Literal["asc", "desc"] | None = None


_Start = Annotated[int, _within(0, MAX_FROM_MS), schema_hint(format="int64", minimum=0, maximum=MAX_FROM_MS)]


class ExploreInput(Body):
    """The body of POST /analytics/explore and POST /analytics/records."""

    query: QueryInput
    days: (
        Annotated[int, _within(1, MAX_DAYS), schema_hint(minimum=1, maximum=MAX_DAYS, default=DEFAULT_DAYS)]
        | None
    ) = None
    """The length of the window. Without `from` today (UTC) is its last day."""
    start: Annotated[_Start | None, Field(alias="from")] = None
    """The first instant of the window, in milliseconds since 1970."""
    limit: (
        Annotated[int, _within(1, MAX_ROWS), schema_hint(minimum=1, maximum=MAX_ROWS, default=DEFAULT_ROWS)]
        | None
    ) = None
    """How many rows to return; for records alone."""
    sort: SortInput | None = None
    """Newest first unless given; for records alone."""
    fields: Annotated[list[str], _at_most(MAX_FILTERS)] | None = None
    """The fields that each row reads out, in this order; all unless given; for records alone."""


class Point(Answer):
    """A bucket of a series."""

    at: int
    """Its first instant (ms); of hours and weekdays the number, from 0 at midnight (UTC) or on Monday."""
    end: int
    """The first instant after it; of hours and weekdays the next number."""
    value: float | int | None
    """0 for `count`, `distinct` and `sum` where there is no row, else null."""
    partial: bool
    """Whether the window cuts the bucket, or it is not over."""


class Series(Answer):
    """A group of rows, or all of them."""

    key: str
    """The group's value; `__none`, `__other`, or `__all` without `groupBy`. A text that begins with `__` has a further
    `_` in front."""
    label: str
    total: float | int | None
    """The measure of all its rows, computed from the rows and not from the points."""
    points: list[Point]
    """Every bucket of the window, also the empty ones. Empty without `bucket`."""


class Explored(Answer):
    """POST /analytics/explore."""

    ok: bool
    unit: Unit
    """What totals and points are: milliseconds of a duration's measure, percent from 0 to 100, or plain numbers."""
    series: list[Series]
    previous: list[Series] | None
    """The same series for the days before the window; null without `compare`."""
    matched: int
    """How many rows of the window pass the filters."""
    scanned: int
    """How many rows were read, those of the days before included."""
    capped: bool
    """Whether there are more rows than the newest 20,000 that were read."""


class Row(Answer):
    """A row of a dataset."""

    id: str
    at: Milliseconds
    """The instant that places it."""
    title: str
    href: str | None
    """Null: this deployment has no dashboard."""
    values: list[Any]
    """One for each field, in the order of `fields`."""


class Records(Answer):
    """POST /analytics/records."""

    ok: bool
    fields: list[str]
    rows: list[Row]
    matched: int
    """How many rows of the window pass the filters."""
    scanned: int
    """How many rows were read."""
    capped: bool
    """Whether there are more rows than the newest 20,000 that were read."""


class FieldShape(Answer):
    """A field of a dataset."""

    id: str
    label: str
    type: FieldType
    values: list[str] | None
    """What an enumeration's values are; null for other types."""


class DatasetShape(Answer):
    """A dataset. Its first field is the time that places a row by default."""

    id: str
    label: str
    fields: list[FieldShape]


class DatasetsAnswer(Answer):
    """GET /analytics/datasets."""

    datasets: list[DatasetShape]
