"""The columns of a dataset where its rows are exported: the files and the tables of the Data Catalog agree on them."""

import re
from enum import StrEnum

from helpdesk.analytics.datasets import DATASETS, FieldType
from helpdesk.platform.record import Record


class ColumnType(StrEnum):
    """What the values of a column are, by the name of the type in the Data Catalog."""

    TEXT = "string"
    INTEGER = "bigint"
    FLAG = "boolean"
    TIMESTAMP = "timestamp"


class Column(Record):
    """A column. `place` is where in a row its value is, None for the row's id and its title."""

    name: str
    type: ColumnType
    place: int | None
    comment: str


_TYPES = {
    FieldType.NUMBER: ColumnType.INTEGER,
    FieldType.DURATION: ColumnType.INTEGER,
    FieldType.BOOLEAN: ColumnType.FLAG,
    FieldType.TIME: ColumnType.TIMESTAMP,
}
_COMMENTS = {FieldType.DURATION: "milliseconds", FieldType.TIME: "UTC"}


def snake_case(name: str) -> str:
    """Return a name such as `firstResponseTime` as Athena wants it: first_response_time."""
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def columns(dataset: str) -> tuple[Column, ...]:
    """Return the columns of a dataset, the row's id first."""
    shape = DATASETS[dataset]
    found = [Column("id", ColumnType.TEXT, None, "")]
    for place, field in enumerate(shape.fields):
        kind = _TYPES.get(field.type, ColumnType.TEXT)
        found.append(Column(snake_case(field.id), kind, place, _COMMENTS.get(field.type, "")))
    if shape.has_own_titles:
        found.append(Column("title", ColumnType.TEXT, None, ""))
    return tuple(found)
