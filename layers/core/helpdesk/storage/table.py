"""Reads and conditional writes of the single table, with plain Python values in and out.

Numbers come back as int (or Decimal where they have a fraction), never as the DynamoDB wire form. The low-level
client is used because boto3's resource layer costs import time in every function and adds nothing here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from botocore.exceptions import ClientError

from helpdesk.platform import clients
from helpdesk.platform.clients import THROTTLING as THROTTLING_CODES
from helpdesk.platform.clients import ThrottledAtOnce, one_try_when_throttled, tries_once
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.storage import changes
from helpdesk.storage.retrying import Pauses
from helpdesk.storage.stored import KEYS_ONLY, Index, Key, Stored
from helpdesk.storage.wire import Item, WireItem, from_wire, to_wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import (
        QueryInputTypeDef,
        QueryOutputTypeDef,
        ScanInputTypeDef,
        ScanOutputTypeDef,
        UpdateItemInputTypeDef,
    )

# what callers of this module write its values with
__all__ = ["Index", "Item", "WireItem", "from_wire", "one_try_when_throttled", "to_wire"]


EXISTS = "attribute_exists(PK)"
"""The condition that an item exists: an update must not bring a deleted item back as one with a few attributes."""


class Filter(NamedTuple):
    """A filter on the items that a query reads: an expression with its names and values."""

    expression: str
    names: Mapping[str, str]
    values: Mapping[str, Any]


MAX_BATCH_GET = 100  # BatchGetItem's limit
_MAX_BATCH_WRITE = 25  # BatchWriteItem's


def key_of(item: Item) -> tuple[str, str]:
    """Return an item's partition and sort key, whatever kind of item it is."""
    return item["PK"], item["SK"]


class ConditionFailed(Exception):
    """The condition of a write failed; `item` is the item that it found, None if there was none."""

    def __init__(self, item: Item | None) -> None:
        self.item = item
        super().__init__("condition failed")


class Throttled(Exception):
    """DynamoDB throttled the call, also after the client's own retries."""


class WriteConflict(Throttled):
    """A transaction was writing the same item, during every try."""


def get(key: Key, *, consistent: bool = True) -> Item | None:
    """Return the item, or None. One call; 1 read unit per 4 KB, half of that when not `consistent`."""
    try:
        answer = clients.dynamodb().get_item(
            TableName=settings().table_name, Key=to_wire(key.attributes()), ConsistentRead=consistent
        )
    except ThrottledAtOnce:
        raise Throttled from None
    except ClientError as error:
        raise _translated(error) from error
    return from_wire(answer["Item"]) if "Item" in answer else None


def get_many(keys: Sequence[Key], *, consistent: bool = True) -> dict[Key, Item]:
    """Return the items that exist, by key. One call per hundred keys; requests unprocessed keys again."""
    found: dict[Key, Item] = {}
    by_halves = {(key.pk, key.sk): key for key in keys}
    name = settings().table_name
    wanted: list[WireItem] = [to_wire(key.attributes()) for key in by_halves.values()]
    pauses = Pauses()
    while wanted:
        batch, wanted = wanted[:MAX_BATCH_GET], wanted[MAX_BATCH_GET:]
        try:
            answer = clients.dynamodb().batch_get_item(
                RequestItems={name: {"Keys": batch, "ConsistentRead": consistent}}
            )
        except ClientError as error:
            raise _translated(error) from error
        for wire in answer["Responses"].get(name, []):
            item = from_wire(wire)
            found[by_halves[item["PK"], item["SK"]]] = item
        unprocessed = answer["UnprocessedKeys"].get(name)
        if unprocessed is not None:
            wanted = [dict(key) for key in unprocessed["Keys"]] + wanted
            if not pauses.wait():
                raise Throttled
    return found


class Page(Record):
    """One page of a query; `after` is the key to go on from, None at the end."""

    items: list[Item]
    after: Item | None


def query(
    pk: str,
    *,
    sk_prefix: str = "",
    sk_between: tuple[str, str] | None = None,
    index: Index | None = None,
    limit: int | None = None,
    newest_first: bool = False,
    after: Item | None = None,
    consistent: bool = False,
    matching: Filter | None = None,
    only: Sequence[str] = (),
) -> Page:
    """Return one page of a partition in the order of its sort key (an index itself is never `consistent`).

    A query of a `KEYS_ONLY` index goes on to read the items behind the keys: one more call for each hundred. Items that
    are no longer at that place in the index are left out, so a page can be short while `after` is there.
    `after` is where the page begins: an item's key with its sort key in the index; the partition may be left out.
    `only` names the attributes that come back, SK among them, which saves time and no units; none for all.
    One item more than `limit` is read, so that `after` is None where nothing follows.
    With `matching`, the page has matching items only; `limit` then is about the most that is read, and paid for.
    `sk_between` replaces `sk_prefix` and bounds the sort key from both sides, both included. If the bounds have moved
    past a stored place (`after`), as those of the last 30 days do with time, nothing follows that place.
    """
    prefix = index or ""
    if sk_between is not None and after is not None:
        # DynamoDB refuses a start at the last bound or past it: it is "outside query boundaries".
        start = after[f"{prefix}SK"]
        if start <= sk_between[0] if newest_first else start >= sk_between[1]:
            return Page([], None)
    names = {"#pk": f"{prefix}PK"}
    values: Item = {":pk": pk}
    condition = "#pk = :pk"
    if sk_between is not None:
        names["#sk"] = f"{prefix}SK"
        values[":low"], values[":high"] = sk_between
        condition += " AND #sk BETWEEN :low AND :high"
    elif sk_prefix:
        names["#sk"] = f"{prefix}SK"
        values[":sk"] = sk_prefix
        condition += " AND begins_with(#sk, :sk)"
    request: QueryInputTypeDef = {
        "TableName": settings().table_name,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": to_wire(values),
        "ScanIndexForward": not newest_first,
        **({"IndexName": index} if index else {"ConsistentRead": consistent}),  # type: ignore[typeddict-item]
        **({"ProjectionExpression": ", ".join(only)} if only else {}),  # type: ignore[typeddict-item] # mypy widens it
    }
    if matching is not None:
        if index in KEYS_ONLY:
            raise TypeError(f"{index} holds keys only: filter the items that the query returns")
        request["FilterExpression"] = matching.expression
        request["ExpressionAttributeNames"] = names | dict(matching.names)
        request["ExpressionAttributeValues"] = to_wire({**values, **matching.values})
    if limit is not None:
        # DynamoDB names a key to go on from whenever it reaches the limit, also at the end of the partition.
        request["Limit"] = limit + 1
    if after is not None:
        request["ExclusiveStartKey"] = to_wire({f"{prefix}PK": pk} | after)
    try:
        answer = clients.dynamodb().query(**request)
    except ClientError as error:
        raise _translated(error) from error
    page = _cut(_page(answer), limit, {f"{prefix}PK": pk}, ("PK", "SK", f"{prefix}SK"))
    return _with_items(page, index, consistent=consistent)


def _with_items(page: Page, index: Index | None, *, consistent: bool) -> Page:
    """Return a page with the items behind its keys, but for those that are gone or elsewhere in the index by now."""
    if index not in KEYS_ONLY:
        return page
    places = {Key(*key_of(place), Stored): place for place in page.items}
    found = get_many(list(places), consistent=consistent)
    present = [key for key, place in places.items() if place.items() <= found.get(key, {}).items()]
    return Page([found[key] for key in present], page.after)


def _cut(page: Page, limit: int | None, known: Item, key: Sequence[str]) -> Page:
    """Return a page with `limit` items at most, and the key of the last one if that left one out."""
    if limit is None or len(page.items) <= limit:
        return page
    items = page.items[:limit]
    return Page(items, {name: items[-1][name] for name in key if name not in known} | known)


def _page(answer: "QueryOutputTypeDef | ScanOutputTypeDef") -> Page:
    last = answer.get("LastEvaluatedKey")
    return Page([from_wire(item) for item in answer["Items"]], from_wire(last) if last else None)


def newest(
    pk: str,
    limit: int,
    *,
    sk_prefix: str = "",
    index: Index | None = None,
    after: Item | None = None,
    consistent: bool = False,
) -> Page:
    """Return a partition's last items, newest first, up to `limit`.

    One call in the usual case. A query ends after 1 MB of items, full or not. This function continues it, so two lists
    can be merged without a gap where one was cut short.
    """
    items: list[Item] = []
    while True:
        page = query(
            pk,
            sk_prefix=sk_prefix,
            index=index,
            limit=limit - len(items),
            newest_first=True,
            after=after,
            consistent=consistent,
        )
        items += page.items
        after = page.after
        if after is None or len(items) >= limit:
            return Page(items, after)


def query_all(
    pk: str, *, sk_prefix: str = "", consistent: bool = True, newest_first: bool = False
) -> list[Item]:
    """Return every item of a partition that is small by rule, such as an organization's webhook endpoints."""
    items: list[Item] = []
    after: Item | None = None
    while True:
        page = query(pk, sk_prefix=sk_prefix, consistent=consistent, newest_first=newest_first, after=after)
        items += page.items
        after = page.after
        if after is None:
            return items


def scan(*, limit: int, after: Item | None = None, matching: Filter | None = None) -> Page:
    """Return one page of the whole table, in no order; for an operator's command, never for a request.

    `limit` is the most that is read. With `matching`, the page has matching items only.
    """
    request: ScanInputTypeDef = {"TableName": settings().table_name, "Limit": limit, "ConsistentRead": True}
    if matching is not None:
        request["FilterExpression"] = matching.expression
        request["ExpressionAttributeNames"] = dict(matching.names)
        request["ExpressionAttributeValues"] = to_wire(dict(matching.values))
    if after is not None:
        request["ExclusiveStartKey"] = to_wire(after)
    try:
        answer = clients.dynamodb().scan(**request)
    except ClientError as error:
        raise _translated(error) from error
    return _page(answer)


def update(
    key: Key,
    expression: str,
    *,
    condition: str | None = None,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
    returning: Literal["NONE", "ALL_NEW", "ALL_OLD", "UPDATED_NEW", "UPDATED_OLD"] = "NONE",
) -> Item:
    """Update one item under a condition and return what `returning` asks for.

    Raises ConditionFailed with the item found, in the same call; Throttled when DynamoDB throttles.
    """
    request: UpdateItemInputTypeDef = {
        "TableName": settings().table_name,
        "Key": to_wire(key.attributes()),
        "UpdateExpression": expression,
        "ReturnValues": returning,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    if condition is not None:
        request["ConditionExpression"] = condition
    if names:
        request["ExpressionAttributeNames"] = dict(names)
    if values:
        request["ExpressionAttributeValues"] = to_wire(values)
    answer = _written(lambda: clients.dynamodb().update_item(**request))
    return from_wire(answer.get("Attributes", {}))


def change(
    key: Key,
    *,
    set: changes.Values | None = None,
    add: Mapping[str, int] | None = None,
    append: Mapping[str, Sequence[Any]] | None = None,
    require: changes.Values | None = None,
    or_new: bool = False,
    returning: Literal["NONE", "ALL_NEW", "ALL_OLD", "UPDATED_NEW", "UPDATED_OLD"] = "NONE",
) -> Item:
    """Change one item by the names of its record's fields (`storage.changes`), and return what `returning` asks for.

    Raises ConditionFailed with the item found, also if there is none and `or_new` is not set; Throttled.
    """
    parts = changes.expression(
        key, set=set or {}, add=add or {}, append=append or {}, require=require or {}, or_new=or_new
    )
    return update(key, **parts, returning=returning)


def delete(key: Key) -> None:
    """Remove an item, if it exists. Raises Throttled."""
    name, wire = settings().table_name, to_wire(key.attributes())
    _written(lambda: clients.dynamodb().delete_item(TableName=name, Key=wire))


def delete_many(keys: Sequence[Key]) -> None:
    """Remove items; nothing happens where there are none. One call for 25; requests unprocessed keys again."""
    name = settings().table_name
    wanted: list[WireItem] = [
        to_wire(each) for each in {key.pk + key.sk: key.attributes() for key in keys}.values()
    ]
    pauses = Pauses()
    while wanted:
        batch, wanted = wanted[:_MAX_BATCH_WRITE], wanted[_MAX_BATCH_WRITE:]
        requests: Any = {name: [{"DeleteRequest": {"Key": key}} for key in batch]}
        answer = _written(partial(clients.dynamodb().batch_write_item, RequestItems=requests))
        left = answer.get("UnprocessedItems", {}).get(name, [])
        wanted = [dict(request["DeleteRequest"]["Key"]) for request in left] + wanted
        if left and not pauses.wait():
            raise Throttled


def put_new(item: Item | Stored) -> None:
    """Put a record or item that must not exist yet. Raises ConditionFailed with the existing one, and Throttled."""
    _written(
        lambda: clients.dynamodb().put_item(
            TableName=settings().table_name,
            Item=to_wire(item.to_item() if isinstance(item, Stored) else item),
            ConditionExpression="attribute_not_exists(PK)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    )


def _written[T](send: Callable[[], T]) -> T:
    """Send a write, and again after a pause if it meets a transaction, which breaks no rule.

    botocore repeats what is throttled, but not this. A limiter does not wait (`one_try_when_throttled`).
    """
    pauses = Pauses()
    while True:
        try:
            return send()
        except ThrottledAtOnce:
            raise Throttled from None
        except ClientError as error:
            problem = _translated(error)
            if not isinstance(problem, WriteConflict) or tries_once() or not pauses.wait():
                raise problem from error


_WRITE_CONFLICT = "TransactionConflictException"
THROTTLING = THROTTLING_CODES | {_WRITE_CONFLICT}


def _translated(error: ClientError) -> Exception:
    code = error.response["Error"]["Code"]
    if code == "ConditionalCheckFailedException":
        found: Any = error.response.get("Item")
        return ConditionFailed(from_wire(found) if found else None)
    if code == _WRITE_CONFLICT:
        return WriteConflict()
    if code in THROTTLING:
        return Throttled()
    return error
