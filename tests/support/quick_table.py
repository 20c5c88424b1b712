"""The table of a test is the product's table in memory; moto answers each form of request beside it, once.

A request's way through botocore and moto costs many times what the table in memory needs to answer it. So the client's
call goes straight to the table, and the listeners of the client's events are called. Only a request on which somebody
else acts (before it is sent, or before it is repeated) goes the whole way, and the same table answers it there.

The table in memory does not check what is wrong in a request by itself: a syntax, a name without a value, a type. All
of that is the same for each request of one form. The first requests of a form, until one succeeds, are put to moto as
well, with the items that they are about. What moto refuses is refused; any other difference fails the test.
"""

import base64
import inspect
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

from botocore.client import BaseClient
from botocore.exceptions import ClientError
from botocore.session import Session
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from helpdesk.storage.table import from_wire
from scripts.seeding.memory_table import MemoryTable
from tests.support import effort

type Request = Mapping[str, Any]
type Listener = Callable[..., Any]

stores: Final[dict[str, MemoryTable]] = {}
"""The tables that are in memory, by name."""

REGION: Final = "eu-west-1"
_MOST_COMPARED = 60  # items; putting more into moto's table would cost more than the request
_LARGE = 100_000  # bytes; larger items are put to moto, which measures them
_LONGEST_KEY = 1024  # bytes; DynamoDB's limit of a sort key
_MOST_AT_ONCE = 100  # actions of a transaction, keys of a batch

# ---- a request's way -------------------------------------------------------------------------------------------

_STANDARD = ("botocore.", "moto.", "aws_lambda_powertools.", "helpdesk.platform.clients.")
_HEARD = ("before-call", "after-call")
_ACTED_UPON = (
    "provide-client-params",
    "before-parameter-build",
    "request-created",
    "before-send",
    "needs-retry",
)
_OK: Any = SimpleNamespace(status_code=200)
_REFUSED: Any = SimpleNamespace(status_code=400)


def _call(client: Any, operation: str, request: Request) -> Any:
    """Answer a client's call from the table in memory, or let it go its whole way."""
    store = store_of(operation, request) if client is not _verifier.get("client") else None
    heard = None if store is None or _library.isEnabledFor(logging.DEBUG) else _listeners(client, operation)
    if store is None or heard is None:
        return _original_call(client, operation, request)
    require_in_time, before, after = heard
    named: dict[str, Any] = {"model": client.meta.service_model.operation_model(operation), "context": {}}
    for listener in before:
        listener(params={}, request_signer=None, event_name=f"before-call.dynamodb.{operation}", **named)
    for listener in require_in_time:
        listener()
    http, error = _OK, None
    try:
        answer = answered(store, operation, request)
    except ClientError as refused:
        http, error, answer = _REFUSED, refused, dict(refused.response)
    for listener in after:
        listener(http_response=http, parsed=answer, event_name=f"after-call.dynamodb.{operation}", **named)
    if error is not None:
        raise client.exceptions.from_code(error.response["Error"]["Code"])(answer, operation)
    return answer


_library = logging.getLogger("botocore")  # at that level, it writes down each request
_original_call = BaseClient._make_api_call  # type: ignore[attr-defined] # it has no types


def store_of(operation: str, request: Request) -> MemoryTable | None:
    """Return the table in memory that a request is to, None for a request that moto answers."""
    if not stores or operation not in _OPERATIONS:
        return None
    match operation:
        case "TransactWriteItems":
            return stores.get(next(iter(request["TransactItems"][0].values()))["TableName"])
        case "BatchGetItem" | "BatchWriteItem":
            return stores.get(next(iter(request["RequestItems"])))
        case _:
            return stores.get(request["TableName"])


_OPERATIONS = frozenset(
    {
        *("GetItem", "BatchGetItem", "Query", "Scan"),
        *("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
    }
)


def _listeners(client: Any, operation: str) -> tuple[list[Listener], list[Listener], list[Listener]] | None:
    """Return who hears of a call: its deadline, before and after. None where somebody acts on its request."""
    emitter = client.meta.events._emitter
    kept: dict[Any, Any] = emitter._lookup_cache  # it is another one after each registration
    if (found := kept.get(("quick", operation), _UNKNOWN)) is not _UNKNOWN:
        return found  # type: ignore[no-any-return] # what is kept below

    def strangers(event: str) -> list[Listener]:
        each = emitter._handlers.prefix_search(f"{event}.dynamodb.{operation}")
        return [listener for listener in each if not _module(listener).startswith(_STANDARD)]

    ours = emitter._handlers.prefix_search(f"request-created.dynamodb.{operation}")
    deadline = [each for each in ours if _module(each).startswith("helpdesk.")]
    acted = any(strangers(event) for event in _ACTED_UPON)
    kept["quick", operation] = None if acted else (deadline, *map(strangers, _HEARD))
    return kept["quick", operation]  # type: ignore[no-any-return] # as above


_UNKNOWN: Any = object()


def _module(listener: Listener) -> str:
    return str(getattr(listener, "__module__", "")) + "."


def wire_answer(target: str, body: bytes) -> tuple[int, dict[str, str], str] | None:
    """Answer a request that has come the whole way, as the service's response. None where it is moto's."""
    if getattr(_verifying, "now", False):
        return None
    operation, request = target.rpartition(".")[2], json.loads(body, object_hook=_from_base64)
    store = store_of(operation, request)
    if store is None:
        return None
    try:
        status, answer = 200, answered(store, operation, request)
    except ClientError as error:
        shown: Any = error.response
        answer = {name: value for name, value in shown.items() if name not in {"Error", "ResponseMetadata"}}
        status, answer = (
            400,
            answer | {"__type": shown["Error"]["Code"], "message": shown["Error"]["Message"]},
        )
    return status, {"server": "amazon.com", "x-amzn-requestid": "0" * 52}, json.dumps(answer, default=_base64)


def _from_base64(value: dict[str, Any]) -> dict[str, Any]:
    return (
        {"B": base64.b64decode(value["B"])}
        if value.keys() == {"B"} and isinstance(value["B"], str)
        else value
    )


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


# ---- what moto says of a form ----------------------------------------------------------------------------------

_known: set[Any] = set()  # the forms of which moto has answered a request that succeeded
_verifier: dict[str, Any] = {}
_verifying = threading.local()
_lock = threading.RLock()  # moto's table holds one request's items at a time


def answered(store: MemoryTable, operation: str, request: Request) -> dict[str, Any]:
    """Answer a request from the table in memory, and by moto where its form is new. Raises ClientError."""
    forms = list(_forms(operation, request))
    if _known.issuperset(forms) and not _unusual(store, operation, request):
        return store.call(operation, request)
    with _lock, store.lock:
        keys, items = _about(store, operation, request)
        theirs = _from_moto(operation, request, items)
        if theirs[0] not in _EXPECTED:
            assert theirs[2] is not None
            raise theirs[2]
        ours, answer, error = _outcome(store.call, operation, request)
        if items is not None:
            after = [from_wire(each) for key in sorted(keys) if (each := store.find(key)) is not None]
            assert (ours, _comparable(answer, error), after) == (
                theirs[0],
                _comparable(*theirs[1:3]),
                _sorted(theirs[3]) if keys else after,
            ), f"moto answers otherwise: {operation} {request}"
    if error is not None:
        raise error
    _known.update(forms)
    return answer


def _sorted(items: Iterable[Request]) -> list[Any]:
    return sorted(map(from_wire, items), key=lambda item: (item["PK"], item["SK"]))


_EXPECTED = {"", "ConditionalCheckFailedException", "TransactionCanceledException"}


def _forms(operation: str, request: Request) -> Iterator[Any]:
    """Yield what a request is apart from its values: of a transaction, each of its actions."""
    if operation == "TransactWriteItems":
        for action in request["TransactItems"]:
            ((kind, each),) = action.items()
            yield kind, _form(each)
    else:
        yield operation, _form(request)


def _form(request: Request) -> Any:
    return tuple((name, _SHOWN.get(name, _left_out)(value)) for name, value in request.items())


def _left_out(_: object) -> None:
    return None


def _types(values: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return the values' types; an empty text is one of its own, which no key may be."""
    return tuple((name, *value, value.get("S") == "") for name, value in values.items())


_SHOWN: dict[str, Callable[[Any], Any]] = {
    # An id that is a name is one of many.
    "ExpressionAttributeNames": lambda names: tuple(
        (name, field if field.isalpha() else "") for name, field in names.items()
    ),
    "ExpressionAttributeValues": _types,
    "Key": _types,
    "ExclusiveStartKey": _types,
    **{
        name: lambda value: value
        for name in (
            *("ConditionExpression", "UpdateExpression", "KeyConditionExpression", "FilterExpression"),
            *("ProjectionExpression", "IndexName", "ConsistentRead", "ScanIndexForward", "TableName"),
            *("ReturnValues", "ReturnValuesOnConditionCheckFailure", "Select"),
        )
    },
}


def _unusual(store: MemoryTable, operation: str, request: Request) -> bool:
    """Whether a request may be wrong by its values: too many actions or keys, two of one item, too long, too large."""
    if operation in {"Query", "Scan"}:
        return False
    parts = [(each, each.get("Item") or each["Key"]) for each in _actions(operation, request)]
    places = {_place(key) for _, key in parts}
    return (
        len(places) < len(parts)
        or len(parts) > _MOST_AT_ONCE
        or any(
            not 0 < len(key[name].get("S", "")) <= _LONGEST_KEY
            for _, key in parts
            for name in _KEYS
            if name in key
        )
        or any(_size(each) + store.size_of(_place(key)) > _LARGE for each, key in parts)
    )


_KEYS = ("PK", "SK", *(f"GSI{number}{part}" for number in (1, 2, 3) for part in ("PK", "SK")))


def _size(value: Any) -> int:
    """Return about how many bytes the texts of a request have."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 0


def _actions(operation: str, request: Request) -> Iterable[Request]:
    """Return the parts of a request that have an item or a key each."""
    match operation:
        case "TransactWriteItems":
            return [each for action in request["TransactItems"] for each in action.values()]
        case "BatchGetItem":
            return [{"Key": key} for each in request["RequestItems"].values() for key in each["Keys"]]
        case "BatchWriteItem":
            wanted = [each for parts in request["RequestItems"].values() for each in parts]
            return [part for each in wanted for part in each.values()]
        case _:
            return [request]


def _place(key: Request) -> tuple[str, str]:
    return key.get("PK", {}).get("S", ""), key.get("SK", {}).get("S", "")


def _about(store: MemoryTable, operation: str, request: Request) -> tuple[list[Any], list[Any] | None]:
    """Return the keys that a request reads or writes, and the items; None for the items where they are too many."""
    if operation == "Scan":
        return [], list(store.items()) if len(store) <= _MOST_COMPARED else None
    if operation == "Query":
        whole = {name: value for name, value in request.items() if name not in _PAGED}
        whole["KeyConditionExpression"] = "#pk = :pk"
        items = store.call("Query", whole)["Items"]
        return [], items if len(items) <= _MOST_COMPARED else None
    keys = list({_place(each.get("Item") or each["Key"]): None for each in _actions(operation, request)})
    return keys, [item for key in keys if (item := store.find(key)) is not None]


_PAGED = {"FilterExpression", "ProjectionExpression", "Limit", "ExclusiveStartKey"}


def _from_moto(
    operation: str, request: Request, items: list[Any] | None
) -> tuple[str, dict[str, Any], ClientError | None, list[Any]]:
    """Put a request to moto's table with these items in it, and return the outcome and the items afterwards."""
    (name,) = {each["TableName"] for each in _named(operation, request)}
    tables: Any = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
    table = tables[name]
    for each in items or ():
        hash_key, range_key = DynamoType(each["PK"]), DynamoType(each["SK"])
        table.items[hash_key][range_key] = Item(hash_key, range_key, each)
    _verifying.now = True
    try:
        outcome = _outcome(_client()._make_api_call, operation, request)
        after = [each.to_json()["Attributes"] for each in tables[name].all_items()]
    finally:
        _verifying.now = False
        tables[name].items.clear()  # after a cancelled transaction it is another one
    return *outcome, after


def _named(operation: str, request: Request) -> Iterable[Request]:
    if operation in {"BatchGetItem", "BatchWriteItem"}:
        return [{"TableName": name} for name in request["RequestItems"]]
    return _actions(operation, request)


def _client() -> Any:
    if "client" not in _verifier:
        _verifier["client"] = Session().create_client("dynamodb", region_name=REGION)
    return _verifier["client"]


def _outcome(
    call: Callable[[str, Any], dict[str, Any]], operation: str, request: Request
) -> tuple[str, dict[str, Any], ClientError | None]:
    try:
        return "", call(operation, request), None
    except ClientError as error:
        return error.response["Error"]["Code"], {}, error


def _comparable(answer: Request, error: ClientError | None) -> Any:
    """Return what two answers must have in common: numbers as numbers, a batch's items in any order."""
    response: Any = {} if error is None else error.response
    reasons = [
        (each["Code"], from_wire(each.get("Item") or {})) for each in response.get("CancellationReasons", ())
    ]
    batches = [_sorted(batch) for batch in answer.get("Responses", {}).values()]
    items = None
    if "Items" in answer and "LastEvaluatedKey" not in answer:
        items = [from_wire(each) for each in answer["Items"]]
    parts = [from_wire(answer.get(name) or {}) for name in ("Item", "Attributes")]
    return parts, reasons, from_wire(response.get("Item") or {}), batches, items


REPLACEMENTS: tuple[tuple[Any, str, Any], ...] = ((BaseClient, "_make_api_call", _call),)


def active() -> bool:
    """Return whether tables are in memory at all. In the long form of the tests, moto has them, and every request."""
    used = inspect.unwrap(BaseClient._make_api_call)  # type: ignore[attr-defined] # it has no types
    return not effort.whole() and used is _call
