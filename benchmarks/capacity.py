"""What DynamoDB charges for a call, by the rules of its Developer Guide, from the items that the call touches.

The emulators answer `ConsumedCapacity` with constants, so it is computed here ("Read/write capacity", "Item sizes
and formats"): a read unit is 4 KB read consistently, 8 KB otherwise; a write unit is 1 KB of the larger of the item
before and after; a transaction doubles both; a query counts its items together, a batch each by itself; what is not
there costs one unit; what a filter leaves out of a query is paid for. An item with an index's keys is written to that
index too, as far as the index projects it: not at all where that stays the same, and twice where its keys there change.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpdesk.platform import clients
from helpdesk.storage.stored import INDEXES
from scripts.seeding.memory_table import entry
from tests.support.permissions import running

type Wire = Mapping[str, Any]


@dataclass(slots=True)
class Used:
    """What a piece of work asked of AWS: operations in their order, and DynamoDB's units.

    `written` has the write units by where they went: the table, or an index.
    """

    calls: list[str] = field(default_factory=list)
    read_units: float = 0
    write_units: float = 0
    written: Counter[str] = field(default_factory=Counter)


def size(item: Wire) -> int:
    """Return an item's size in bytes."""
    return sum(len(name.encode()) + _size_of(value) for name, value in item.items())


def _size_of(value: Wire) -> int:
    [(kind, content)] = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return math.ceil(len(content.lstrip("-").replace(".", "")) / 2) + 1
        case "B":
            return len(content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _size_of(inner) for name, inner in content.items())
        case "L":
            return 3 + sum(1 + _size_of(inner) for inner in content)
        case _:  # BOOL, NULL
            return 1


def read_units(items: list[Wire], *, consistent: bool) -> float:
    """Return the units of reading items together."""
    return max(1, math.ceil(sum(map(size, items)) / 4096)) * (1 if consistent else 0.5)


def write_units(before: Wire | None, after: Wire | None, *, transaction: bool) -> int:
    """Return the units of a write, its indexes included. A transaction's doubling is of the table's own."""
    return sum(units_written(before, after, transaction=transaction).values())


def units_written(before: Wire | None, after: Wire | None, *, transaction: bool) -> Counter[str]:
    """Return the same by where they go: the table, or an index."""
    own = max(1, math.ceil(max(size(before or {}), size(after or {})) / 1024)) * (2 if transaction else 1)
    return Counter(table=own) + Counter({index: _index_units(index, before, after) for index in INDEXES})


def _index_units(index: str, before: Wire | None, after: Wire | None) -> int:
    names = (f"{index}PK", f"{index}SK")
    old, new = (
        entry(index, item) if item is not None and item.keys() >= {*names} else None
        for item in (before, after)
    )
    if old == new:
        return 0
    moved = old is None or new is None or any(old[name] != new[name] for name in names)
    units = [math.ceil(size(each) / 1024) for each in (old, new) if each is not None]
    return sum(units) if moved else max(units)


@contextmanager
def metered() -> Iterator[Used]:
    """Compute the units of the code's calls to DynamoDB, and record its calls to S3 and SQS."""
    used = Used()
    client: Any = clients.dynamodb()
    call = client._make_api_call  # noqa: SLF001 - the one place that all operations pass
    look = running(None, call)  # the meter's own reads need no grant of the function that it measures

    def read(key: Wire) -> Wire | None:
        item: Wire | None = look("GetItem", {"TableName": "helpdesk", "Key": key}).get("Item")
        return item

    def meter(operation: str, parameters: dict[str, Any]) -> Any:
        used.calls.append(operation)
        keys = _written_keys(operation, parameters)
        before = [read(key) for key in keys]
        answer = None
        try:
            answer = call(operation, parameters)
        finally:
            for key, old in zip(keys, before, strict=True):
                used.written += units_written(old, read(key), transaction=operation == "TransactWriteItems")
            used.write_units = used.written.total()
        examined = answer
        if "FilterExpression" in parameters:
            examined = look(operation, _unfiltered(parameters))
        used.read_units += _units_read(operation, parameters, examined)
        return answer

    def other(model: Any, **_: Any) -> None:
        used.calls.append(model.name)

    others = [clients.s3(), clients.sqs()]
    client._make_api_call = meter  # noqa: SLF001
    for one in others:
        one.meta.events.register("before-call", other)
    try:
        yield used
    finally:
        client._make_api_call = call  # noqa: SLF001
        for one in others:
            one.meta.events.unregister("before-call", other)


def _unfiltered(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a query that returns everything it reads."""
    query = {name: value for name, value in parameters.items() if name != "FilterExpression"}
    used = set(re.findall(r"[#:]\w+", query["KeyConditionExpression"]))
    for part in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        query[part] = {name: value for name, value in query[part].items() if name in used}
    return query


def _written_keys(operation: str, parameters: Mapping[str, Any]) -> list[Wire]:
    actions = [parameters]
    if operation == "TransactWriteItems":
        actions = [action for item in parameters["TransactItems"] for action in item.values()]
    elif operation not in {"PutItem", "UpdateItem", "DeleteItem"}:
        return []
    return [action.get("Key") or {name: action["Item"][name] for name in ("PK", "SK")} for action in actions]


def _units_read(operation: str, parameters: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    match operation:
        case "GetItem":
            found = [answer["Item"]] if "Item" in answer else []
            return read_units(found, consistent=bool(parameters.get("ConsistentRead")))
        case "Query":
            return read_units(answer["Items"], consistent=bool(parameters.get("ConsistentRead")))
        case "BatchGetItem":
            units = 0.0
            for name, wanted in parameters["RequestItems"].items():
                items = answer["Responses"].get(name, [])
                consistent = bool(wanted.get("ConsistentRead"))
                missing = len(wanted["Keys"]) - len(items)
                units += sum(read_units([item], consistent=consistent) for item in items)
                units += missing * read_units([], consistent=consistent)
            return units
        case _:
            return 0
