"""Writes rows as Parquet, for the function that exports them; it alone carries the library.

Columns are the dataset's fields in snake_case, in their order, after the row's id. Instants are timestamps (UTC, ms),
durations milliseconds. Where no field says the title of a row, a column `title` does.
"""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

from arro3.core import Array, DataType, Field, RecordBatch, Schema, Table
from arro3.io import write_parquet

from helpdesk.analytics.aggregation import Found
from helpdesk.analytics.columns import Column, ColumnType, columns
from helpdesk.analytics.datasets import DATASETS

_TYPES = {
    ColumnType.TEXT: DataType.utf8(),
    ColumnType.INTEGER: DataType.int64(),
    ColumnType.FLAG: DataType.bool(),
    ColumnType.TIMESTAMP: DataType.timestamp("ms", tz="UTC"),
}


def written(dataset: str, pages: Iterable[list[Found]]) -> bytes | None:
    """Return a file of a dataset's rows, which come in pages; None for no rows.

    Only one page is in memory as Python values; what was read is kept in columns, at about a fifth of that.
    """
    found = columns(dataset)
    schema = Schema([Field(each.name, _TYPES[each.type], nullable=True) for each in found])
    batches = [_batch(dataset, found, schema, page) for page in pages if page]
    if not batches:
        return None
    file = BytesIO()
    write_parquet(Table.from_batches(batches, schema=schema), file, compression="zstd(3)")
    return file.getvalue()


def _batch(dataset: str, found: tuple[Column, ...], schema: Schema, page: list[Found]) -> RecordBatch:
    title_of = DATASETS[dataset].title_of
    lists: list[list[Any]] = [[row.id for row in page]]
    for column in found[1:]:
        place = column.place
        lists.append([title_of(row.values) if place is None else row.values[place] for row in page])
    arrays = [_array(column, values) for column, values in zip(found, lists, strict=True)]
    return RecordBatch.from_arrays(arrays, schema=schema)


def _array(column: Column, values: list[Any]) -> Array:
    kind = _TYPES[column.type]
    if column.type is ColumnType.TIMESTAMP:
        return Array(values, DataType.int64()).cast(kind)
    return Array(values, kind)
