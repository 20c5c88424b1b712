"""moto without its repeated work: the same answers in a fraction of the time.

Each replacement says what moto repeats and why the answer cannot differ. tests/integration/test_three_tables.py
compares both on random requests, so an upgrade of moto that changes what is replaced here fails there.
"""

import base64
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any
from unittest.mock import patch

from moto.core import models as core
from moto.core.base_backend import AccountSpecificBackend
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import (
    DynamoType,
    Item,
    LimitedSizeDict,
    deserializer,
    serializer,
)
from moto.dynamodb.models.table import Table
from moto.dynamodb.models.utilities import bytesize

from tests.support import quick_expressions, quick_requests, quick_table

MAX_ITEM_BYTES = 405_000  # moto's figure, in LimitedSizeDict

# ---- values and items ------------------------------------------------------------------------------------------


def _copied(value: DynamoType) -> DynamoType:
    """Copy a value without `copy.deepcopy` and its memo: values are trees."""
    new = DynamoType.__new__(DynamoType)
    new.type = value.type
    if value.type == "M":
        new.value = {name: _copied(each) for name, each in value.value.items()}
    elif value.type == "L":
        new.value = [_copied(each) for each in value.value]
    else:
        new.value = list(value.value) if value.is_set() else value.value
    return new


def _size(value: DynamoType) -> int:
    """Measure a value; moto wraps every value of a map again, at each level, before it measures it."""
    if value.type == "M":
        return sum(bytesize(name) + _size(each) for name, each in value.value.items())
    if value.type == "L":
        return sum(_size(each) for each in value.value)
    if value.type in {"S", "N"}:
        return bytesize(value.value)
    return _original_size(value)


_original_size = DynamoType.size


def _regular(value: DynamoType) -> dict[str, Any]:
    """Write a value as JSON; moto copies the whole tree at each of its levels first."""
    found: Any = value.value
    if isinstance(found, dict):
        found = {name: each.to_regular_json() for name, each in found.items()}
    elif isinstance(found, list):
        found = [each.to_regular_json() if isinstance(each, DynamoType) else each for each in found]
    elif value.is_binary() and isinstance(found, str):
        found = base64.b64decode(found)
    return {value.type: found}


def _make_item(item: Item, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]) -> None:
    """Measure a new item once; moto measures all attributes so far with each one that is added."""
    item.hash_key, item.range_key = hash_key, range_key
    item.attrs = LimitedSizeDict()
    size = 0
    for name, raw in attrs.items():
        value = DynamoType(raw)
        size += bytesize(name) + value.size()
        dict.__setitem__(item.attrs, name, value)
    if size > MAX_ITEM_BYTES:
        raise ItemSizeTooLarge


def _copied_item(item: Item, _: Any) -> Item:
    """Copy an item by `_copied`, and without entering it in moto's list of every instance ever made."""
    new: Item = object.__new__(Item)
    new.hash_key = _copied(item.hash_key)
    new.range_key = None if item.range_key is None else _copied(item.range_key)
    new.attrs = LimitedSizeDict()
    for name, value in item.attrs.items():
        dict.__setitem__(new.attrs, name, _copied(value))
    return new


def _projected(item: Item, expressions: list[list[str]]) -> Item:
    """Project top-level attributes; moto writes the whole item as JSON once for each attribute of an index."""
    if any(len(path) > 1 or "[" in path[0] for path in expressions):
        return _original_project(item, expressions)
    wanted = {path[0]: item.attrs[path[0]] for path in expressions if path[0] in item.attrs}
    plain = {name: deserializer.deserialize(value.to_regular_json()) for name, value in wanted.items()}
    return Item(item.hash_key, item.range_key, dict(serializer.serialize(plain)["M"]))


_original_project = Item.project

# ---- tables ----------------------------------------------------------------------------------------------------


def _snapshot(table: Table, _: Any) -> Table:
    """Copy a table's dictionaries and share its items, which `_update_item` never changes in place.

    A transaction keeps a copy of the whole table to return to, and makes it again for each of its actions.
    """
    new: Table = object.__new__(type(table))
    new.__dict__.update(table.__dict__)
    partitions: dict[DynamoType, Any] = (
        table.items
    )  # moto's own type forgets that a table may have no sort key
    new.items = defaultdict(
        dict, {key: dict(each) if isinstance(each, dict) else each for key, each in partitions.items()}
    )
    if table.stream_shard is not None:
        shard = object.__new__(type(table.stream_shard))
        shard.__dict__.update(table.stream_shard.__dict__, table=new, items=list(table.stream_shard.items))
        new.stream_shard = shard
    return new


def _update_item(
    backend: DynamoDBBackend, table_name: str, key: dict[str, Any], *rest: Any, **named: Any
) -> Item:
    """Put a copy in the item's place before moto changes it in place, so that snapshots can share items."""
    table = backend.get_table(table_name)
    names = [name for name in (table.hash_key_attr, table.range_key_attr) if name is not None]
    if key.keys() == set(names):
        values = [DynamoType(key[name]) for name in names]
        item = table.get_item(values[0], values[1] if len(values) > 1 else None)
        if item is not None and item.range_key is not None:
            table.items[item.hash_key][item.range_key] = _copied_item(item, None)
        elif item is not None:
            partitions: dict[DynamoType, Any] = table.items
            partitions[item.hash_key] = _copied_item(item, None)
    return _original_update_item(backend, table_name, key, *rest, **named)


_original_update_item = DynamoDBBackend.update_item
_running = threading.local()  # .candidates: the items that this thread's query may find, and no others


def _items_of(partitions: Iterable[Any]) -> list[Item]:
    """Return the items of partitions; without a sort key, a partition is its one item."""
    return [
        item
        for partition in partitions
        for item in (partition.values() if isinstance(partition, dict) else (partition,))
    ]


def _query(
    table: Table,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int,
    exclusive_start_key: dict[str, Any],
    scan_index_forward: bool,
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    consistent_read: bool = False,
    filter_expression: Any = None,
    hash_key_conditions: list[tuple[str, DynamoType]] | None = None,
    **named: Any,
) -> Any:
    """Give a query its partition alone; moto sorts the whole table first and then looks for the partition in it.

    moto sorts what it finds by all of its keys, so the order of the candidates does not matter.
    """
    if index_name is None and hash_key is not None:
        found = _items_of([table.items[hash_key]] if hash_key in table.items else [])
    else:
        found = [
            item
            for item in _items_of(table.items.values())
            if all(item.attrs.get(name) == value for name, value in hash_key_conditions or ())
        ]
    _running.candidates = found
    try:
        return _original_query(
            table,
            hash_key,
            range_comparison,
            range_objs,
            limit,
            exclusive_start_key,
            scan_index_forward,
            projection_expressions,
            index_name,
            consistent_read,
            filter_expression,
            hash_key_conditions,
            **named,
        )
    finally:
        _running.candidates = None


_original_query = Table.query


def _all_items(table: Table) -> list[Item]:
    """Sort by plain values; moto calls two properties for each comparison."""
    candidates: list[Item] | None = getattr(_running, "candidates", None)
    if candidates is not None:
        return candidates
    found = _items_of(table.items.values())
    found.sort(key=lambda item: [item.attrs[name].cast_value for name in table.table_key_attrs])
    return found


def _sorted_items(
    table: Table, hash_attrs: list[str], range_attrs: list[str | None], items: list[Item]
) -> list[Item]:
    """Sort by plain values; the attributes of an index's key have one type each."""
    names = table._generate_attr_to_sort_by(hash_attrs, range_attrs)
    items.sort(key=lambda each: tuple(each.attrs[name].cast_value for name in names))
    return items


def _equal(value: DynamoType, other: Any) -> bool:
    """Compare without making Decimals of strings; `None` is what an attribute that is missing is."""
    if other is None or value.type != other.type:
        return False
    if value.type == "S":
        return bool(value.value == other.value)
    return bool(value.cast_value == other.cast_value)


def _hash(value: DynamoType) -> int:
    return hash((value.type, value.value if value.type == "S" else value.cast_value))


# ---- requests --------------------------------------------------------------------------------------------------


@lru_cache
def _regions(service: str) -> list[str]:
    return _original_regions(_ANY_ACCOUNT, service)


_original_regions = AccountSpecificBackend._generate_regions
_ANY_ACCOUNT: Any = AccountSpecificBackend("none", core.DEFAULT_ACCOUNT_ID, object, False, None)


def _serialize(serializer_: BaseJSONSerializer, serialized: Any, value: Any, shape: Any, key: str) -> None:
    """Write an attribute's value at once; moto asks eleven times, in five spellings each, which of its types it has."""
    if shape.name == "AttributeValue" and key and isinstance(value, dict) and len(value) == 1:
        serialized[serializer_.get_serialized_name(shape, key)] = _wire(value)
    else:
        _original_serialize(serializer_, serialized, value, shape, key)


def _wire(value: dict[str, Any]) -> dict[str, Any]:
    ((kind, held),) = value.items()
    match kind:
        case "S" | "N":
            return {kind: str(held)}
        case "M":
            return {kind: {name: _wire(each) for name, each in held.items()}}
        case "L":
            return {kind: [_wire(each) for each in held]}
        case "B":
            return {kind: base64.b64encode(held).decode()}
        case "BS":
            return {kind: [base64.b64encode(each).decode() for each in held]}
        case _:
            return {kind: held}


_original_serialize = BaseJSONSerializer._serialize_type_structure
_patterns: dict[str, list[Any]] = {}  # by method: what the first mock registered


def _enable(mock: core.MockAWS, reset: bool = True) -> None:
    """Register the URL patterns of all of AWS once; moto makes all 1,750 again for each mock."""
    if not _patterns:
        _original_enable(mock, reset)
        registered: dict[str, list[Any]] = core.responses_mock._registry._registered  # type: ignore[attr-defined]
        _patterns.update({method: list(each) for method, each in registered.items()})
        return
    core.botocore_stubber.enabled = True
    if reset:
        mock.reset()
    core.responses_mock.start()
    registry: Any = core.responses_mock._registry
    for method, each in _patterns.items():
        registry._registered[method] = list(each)


_original_enable = core.MockAWS._enable_patching

# ---- all of it -------------------------------------------------------------------------------------------------

REPLACEMENTS: tuple[tuple[Any, str, Any], ...] = (
    (DynamoType, "size", _size),
    (DynamoType, "to_regular_json", _regular),
    (DynamoType, "__eq__", _equal),
    (DynamoType, "__hash__", _hash),
    (DynamoType, "__deepcopy__", lambda value, _: _copied(value)),
    (Item, "__init__", _make_item),
    (Item, "__deepcopy__", _copied_item),
    (Item, "project", _projected),
    (Table, "__deepcopy__", _snapshot),
    (Table, "query", _query),
    (Table, "all_items", _all_items),
    (Table, "sorted_items", _sorted_items),
    (DynamoDBBackend, "update_item", _update_item),
    (AccountSpecificBackend, "_generate_regions", lambda _, service: _regions(service)),
    (BaseJSONSerializer, "_serialize_type_structure", _serialize),
    (core.MockAWS, "_enable_patching", _enable),
    *quick_expressions.REPLACEMENTS,
    *quick_requests.REPLACEMENTS,
    *quick_table.REPLACEMENTS,
)
_ORIGINALS = tuple(getattr(owner, name, None) for owner, name, _ in REPLACEMENTS)


@contextmanager
def quick_moto() -> Iterator[None]:
    """Replace what moto repeats, until the end."""
    with ExitStack() as stack:
        for owner, name, replacement in REPLACEMENTS:
            stack.enter_context(patch.object(owner, name, replacement, create=True))
        yield


@contextmanager
def original_moto() -> Iterator[None]:
    """Put moto's own code back, until the end: to compare with."""
    with ExitStack() as stack:
        for (owner, name, _), original in zip(REPLACEMENTS, _ORIGINALS, strict=True):
            stack.enter_context(patch.object(owner, name, original, create=True))
        yield
