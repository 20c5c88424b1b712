"""The product's table in memory. It holds more items than an emulator, and is fast enough to simulate a year.

It answers botocore's client in place of a request (`answering`), and supports the operations that the product
uses, with their conditions, transactions, pages and cursors, as DynamoDB does. A test compares it with moto. An index
is kept in order, so a query costs what it reads. Items are kept as bytes: a million of them take about a gigabyte.
"""

import marshal
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import RLock
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.exceptions import ClientError

from helpdesk.platform import clients
from helpdesk.storage.stored import INDEXES, KEYS_ONLY
from scripts.seeding import expressions
from scripts.seeding.expressions import Context
from scripts.seeding.validity import require_valid_item, require_valid_request

READS = {"GetItem", "BatchGetItem", "Query", "Scan"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
PAGE_BYTES = 1_048_576  # a query's page ends behind the item that reaches it

type Wire = Mapping[str, Any]
type Key = tuple[str, str]


class MemoryTable:
    """One table; `call` answers a request."""

    def __init__(self, *, foresees_ends: bool = False) -> None:
        """Make an empty table. DynamoDB names a place to go on from after a full page, even if that was the last one.

        With `foresees_ends`, it does so only where the partition has more, as moto does.
        """
        self._foresees_ends = foresees_ends
        self._items: dict[Key, bytes] = {}
        self.lock = RLock()  # held for each request: the fan-out books in threads
        self._order: dict[str, dict[str, list[tuple[str, Key]]]] = {
            "": defaultdict(list),
            **{index: defaultdict(list) for index in INDEXES},
        }
        self._several: dict[str, Callable[[Wire], dict[str, Any]]] = {
            "BatchGetItem": self._batch,
            "BatchWriteItem": self._batch_write,
            "Query": self._query,
            "Scan": self._scan,
        }

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield every item in wire form."""
        for raw in self._items.values():
            yield marshal.loads(raw)  # noqa: S302 - what `put` has dumped

    def load(self, items: Iterable[Wire]) -> None:
        """Put many new items, from any iterable. Faster than one by one."""
        for item in items:
            key = (item["PK"]["S"], item["SK"]["S"])
            self._items[key] = marshal.dumps(dict(item))
            for order, pk, sk in _places(item):
                self._order[order][pk].append((sk, key))
        for partitions in self._order.values():
            for partition in partitions.values():
                partition.sort()

    def clear(self) -> None:
        """Remove every item."""
        self._items.clear()
        for partitions in self._order.values():
            partitions.clear()

    def find(self, key: Key) -> dict[str, Any] | None:
        """Return an item, or None."""
        raw = self._items.get(key)
        return None if raw is None else marshal.loads(raw)  # noqa: S302 - what `put` has dumped

    def put(self, key: Key, item: Wire | None) -> None:
        """Replace an item; None removes it."""
        before = self.find(key)
        if before is not None:
            for order, pk, sk in _places(before):
                partition = self._order[order][pk]
                del partition[bisect_left(partition, (sk, key))]
                if not partition:
                    del self._order[order][pk]
            del self._items[key]
        if item is not None:
            self._items[key] = marshal.dumps(dict(item))
            for order, pk, sk in _places(item):
                insort(self._order[order][pk], (sk, key))

    def call(self, operation: str, request: Wire) -> dict[str, Any]:
        """Answer a request as DynamoDB would. Raises ClientError."""
        require_valid_request(operation, _parts(operation, request))
        with self.lock:
            return self._answer(operation, request)

    def _answer(self, operation: str, request: Wire) -> dict[str, Any]:
        match operation:
            case "GetItem":
                found = self.find(_key(request["Key"]))
                return {} if found is None else {"Item": found}
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return self._write(operation.removesuffix("Item"), request)
            case "TransactWriteItems":
                return self._transaction(request["TransactItems"])
            case _:
                return self._several[operation](request)

    def _batch(self, request: Wire) -> dict[str, Any]:
        [(name, wanted)] = request["RequestItems"].items()
        found = [item for key in wanted["Keys"] if (item := self.find(_key(key))) is not None]
        return {"Responses": {name: found}, "UnprocessedKeys": {}}

    def _batch_write(self, request: Wire) -> dict[str, Any]:
        [parts] = request["RequestItems"].values()
        for part in parts:
            if "PutRequest" in part:
                item = part["PutRequest"]["Item"]
                require_valid_item(item)
                self.put(_key(item), item)
            else:
                self.put(_key(part["DeleteRequest"]["Key"]), None)
        return {"UnprocessedItems": {}}

    def _scan(self, request: Wire) -> dict[str, Any]:
        order = sorted(self._items)
        after = request.get("ExclusiveStartKey")
        start = 0 if after is None else bisect_right(order, _key(after))
        chosen = order[start : start + request["Limit"]] if "Limit" in request else order[start:]
        read = [item for key in chosen if (item := self.find(key)) is not None]
        items = read
        if "FilterExpression" in request:
            test = expressions.condition(request["FilterExpression"])
            items = [item for item in read if test(Context(item, request))]
        answer: dict[str, Any] = {"Items": items, "Count": len(items), "ScannedCount": len(read)}
        if read and start + len(read) < len(order):
            answer["LastEvaluatedKey"] = {name: read[-1][name] for name in ("PK", "SK")}
        return answer

    def _query(self, request: Wire) -> dict[str, Any]:
        index = request.get("IndexName", "")
        pk, low, high = _bounds(request, index)
        order = self._order[index].get(pk, [])
        start, end = bisect_left(order, (low,)), bisect_left(order, (high + "\U0010ffff",))
        forward = request.get("ScanIndexForward", True)
        if (after := request.get("ExclusiveStartKey")) is not None:
            place = bisect_left(order, (after[f"{index}SK"]["S"], _key(after)))
            there = place < len(order) and order[place] == (after[f"{index}SK"]["S"], _key(after))
            start, end = (max(start, place + there), end) if forward else (start, min(end, place))
        return self._page(request, order, range(start, end) if forward else range(end - 1, start - 1, -1))

    def _page(self, request: Wire, order: list[tuple[str, Key]], places: range) -> dict[str, Any]:
        tests = [
            expressions.condition(request[name])
            for name in ("KeyConditionExpression", "FilterExpression")
            if name in request
        ]
        limit, size, items = request.get("Limit"), 0, []
        read = 0
        item: dict[str, Any] = {}
        for place in places:
            if read == limit or size >= PAGE_BYTES:
                break
            raw = self._items[order[place][1]]
            item = marshal.loads(raw)  # noqa: S302 - what `put` has dumped
            if request.get("IndexName") in KEYS_ONLY:
                item = entry(request["IndexName"], item)
                raw = marshal.dumps(item)
            read += 1
            size += len(raw)
            context = Context(item, request)
            if all(test(context) for test in tests):
                items.append(item)
        answer: dict[str, Any] = {
            "Items": _projected(items, request),
            "Count": len(items),
            "ScannedCount": read,
        }
        ended = read == 0 or (self._foresees_ends and places[read - 1] + places.step not in range(len(order)))
        if not ended and (read == limit or size >= PAGE_BYTES):
            index = request.get("IndexName")
            names = ["PK", "SK", *([f"{index}PK", f"{index}SK"] if index else [])]
            answer["LastEvaluatedKey"] = {name: item[name] for name in names}
        return answer

    def _write(self, kind: str, request: Wire) -> dict[str, Any]:
        key = _key_written(kind, request)
        before = self.find(key)
        if not _holds(before, request):
            error: Any = {"Error": {"Code": "ConditionalCheckFailedException", "Message": ""}}
            if before is not None and _shows(request):
                error["Item"] = before
            raise ClientError(error, kind)
        after = _after(kind, request, before)
        self.put(key, after)
        returned = {"ALL_NEW": after, "ALL_OLD": before, "UPDATED_NEW": after, "UPDATED_OLD": before}
        attributes = returned.get(request.get("ReturnValues", "NONE"))
        return {} if attributes is None else {"Attributes": attributes}

    def _transaction(self, actions: Iterable[Wire]) -> dict[str, Any]:
        changes: list[tuple[Key, Wire | None]] = []
        reasons: list[dict[str, Any]] = []
        for action in actions:
            [(kind, request)] = action.items()
            key = _key_written(kind, request)
            before = self.find(key)
            if not _holds(before, request):
                shown = {"Item": before} if before is not None and _shows(request) else {}
                reasons.append({"Code": "ConditionalCheckFailed", **shown})
                continue
            reasons.append({"Code": "None"})
            if kind != "ConditionCheck":
                changes.append((key, _after(kind, request, before)))
        if any(reason["Code"] != "None" for reason in reasons):
            error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}}
            raise ClientError(error | {"CancellationReasons": reasons}, "TransactWriteItems")
        for key, item in changes:
            self.put(key, item)
        return {}


_answering: list[MemoryTable] = []  # the innermost is last


def answering_now() -> MemoryTable | None:
    """Return the table that answers this process's DynamoDB client, if one in memory does."""
    return _answering[-1] if _answering else None


@contextmanager
def answering(table: MemoryTable) -> Iterator[MemoryTable]:
    """Let a table in memory answer this process's DynamoDB client until the end. No request is sent.

    It uses botocore's events, as botocore's own Stubber does, so other listeners hear of each call. What botocore does
    without is a third of a call's time: it looks through the parameters for those that an address could depend on.
    """
    client: Any = clients.dynamodb()  # typed as if no listener returned anything
    with ExitStack() as until_the_end:
        _answering.append(table)
        until_the_end.callback(_answering.pop)
        if len(_answering) == 1:
            for event, listener in (("before-parameter-build", _note), ("before-call", _answer)):
                client.meta.events.register_last(event, listener)
                until_the_end.callback(client.meta.events.unregister, event, listener)
            address: Any = (client.meta.endpoint_url, {}, {})
            until_the_end.enter_context(patch.object(client, "_resolve_endpoint_ruleset", lambda *_: address))
        yield table


def _note(params: Wire, context: dict[str, Any], **_: Any) -> None:
    context["request"] = params


def _answer(model: Any, context: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]] | None:
    """Return what botocore takes for a response and its content; None leaves the request to be sent."""
    if model.name not in READS | WRITES:
        return None
    try:
        return SimpleNamespace(status_code=200), _answering[-1].call(model.name, context["request"])
    except ClientError as error:
        return SimpleNamespace(status_code=400), dict(error.response)


def _parts(operation: str, request: Wire) -> list[Wire]:
    """Return what of a request is about one item each, or the request itself."""
    match operation:
        case "TransactWriteItems":
            return [each for action in request["TransactItems"] for each in action.values()]
        case "BatchGetItem":
            return [{"Key": key} for each in request["RequestItems"].values() for key in each["Keys"]]
        case "BatchWriteItem":
            wanted = [part for parts in request["RequestItems"].values() for part in parts]
            return [each for part in wanted for each in part.values()]
        case _:
            return [request]


def _key(attributes: Wire) -> Key:
    return attributes["PK"]["S"], attributes["SK"]["S"]


def _key_written(kind: str, request: Wire) -> Key:
    return _key(request["Item"] if kind == "Put" else request["Key"])


def entry(index: str | None, item: Wire) -> dict[str, Any]:
    """Return what an index, or the table itself, has of an item: all of it, or its keys."""
    if index not in KEYS_ONLY:
        return dict(item)
    return {name: item[name] for name in ("PK", "SK", f"{index}PK", f"{index}SK")}


def _places(item: Wire) -> Iterator[tuple[str, str, str]]:
    yield "", item["PK"]["S"], item["SK"]["S"]
    for index in INDEXES:
        if f"{index}PK" in item and f"{index}SK" in item:
            yield index, item[f"{index}PK"]["S"], item[f"{index}SK"]["S"]


def _bounds(request: Wire, index: str) -> tuple[str, str, str]:
    """Return the partition and the least and greatest sort key that a key condition lets through."""
    names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    text = request["KeyConditionExpression"]
    if not text.startswith("#pk = :pk") or names["#pk"] != f"{index}PK":
        raise NotImplementedError(text)
    if "BETWEEN" in text:
        return values[":pk"]["S"], values[":low"]["S"], values[":high"]["S"]
    prefix = values[":sk"]["S"] if "begins_with" in text else ""
    return values[":pk"]["S"], prefix, prefix + "\U0010ffff" if prefix else "\U0010ffff"


def _projected(items: list[dict[str, Any]], request: Wire) -> list[dict[str, Any]]:
    """Return the attributes that a request names; of its paths, the product uses the first level."""
    if "ProjectionExpression" not in request:
        return items
    names = request.get("ExpressionAttributeNames", {})
    wanted = [names.get(word.strip(), word.strip()) for word in request["ProjectionExpression"].split(",")]
    return [{name: item[name] for name in wanted if name in item} for item in items]


def _holds(before: Wire | None, request: Wire) -> bool:
    text = request.get("ConditionExpression")
    return text is None or expressions.condition(text)(Context(before or {}, request))


def _shows(request: Wire) -> bool:
    return request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"


def _after(kind: str, request: Wire, before: Wire | None) -> Wire | None:
    if kind == "Delete":
        return None
    after: dict[str, Any] = dict(request["Item"] if kind == "Put" else before or request["Key"])
    if kind == "Update":
        expressions.update(request["UpdateExpression"])(Context(before or request["Key"], request), after)
    require_valid_item(after)
    return after
