"""What DynamoDB refuses whatever a table holds: ValidationException."""

import marshal
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from botocore.exceptions import ClientError

from helpdesk.storage.stored import INDEXES

type Wire = Mapping[str, Any]

MAX_ITEM_BYTES: Final = 409_600
MAX_ACTIONS: Final = {"TransactWriteItems": 100, "BatchGetItem": 100, "BatchWriteItem": 25}
MAX_KEY_BYTES: Final = {"PK": 2048, "SK": 1024}
_PLACES = frozenset(("", *INDEXES))
_PLACEHOLDER = re.compile(r"[#:]\w+")


def require_valid_request(operation: str, parts: Iterable[Wire]) -> None:
    """Refuse too many parts, two parts about one item, and placeholders that are missing or unused."""
    keys = [(each.get("Item") or each["Key"]) for each in parts if "Item" in each or "Key" in each]
    if len(keys) > MAX_ACTIONS.get(operation, 1):
        raise refused(f"{operation} with {len(keys)} items")
    if len({(key["PK"]["S"], key["SK"]["S"]) for key in keys}) < len(keys):
        raise refused(f"{operation} with two parts about one item")
    for each in parts:
        texts = tuple(value for name, value in each.items() if name.endswith("Expression"))
        given = (each.get("ExpressionAttributeNames") or {}, each.get("ExpressionAttributeValues") or {})
        _require_placeholders(texts, tuple(given[0]), tuple(given[1]))


@lru_cache(maxsize=10_000)
def _require_placeholders(texts: tuple[str, ...], names: tuple[str, ...], values: tuple[str, ...]) -> None:
    used = {word for text in texts for word in _PLACEHOLDER.findall(text)}
    if used != {*names, *values}:
        raise refused(f"placeholders {sorted(used ^ {*names, *values})} in {texts}")


def require_valid_item(item: Wire) -> None:
    """Refuse an item with an empty or too long key, or one that is too large."""
    for name, value in item.items():
        limit = MAX_KEY_BYTES.get(name[-2:]) if name[:-2] in _PLACES else None
        if limit is not None and not 0 < len(value.get("S", "").encode()) <= limit:
            raise refused(f"a key {name} of that length")
    if len(marshal.dumps(dict(item))) > MAX_ITEM_BYTES and _size({"M": item}) > MAX_ITEM_BYTES:
        raise refused("Item size has exceeded the maximum allowed size")


def _size(value: Wire) -> int:
    """Return the bytes of a value without those that DynamoDB adds for its structure."""
    [(kind, content)] = value.items()
    match kind:
        case "M":
            return sum(len(name.encode()) + _size(each) for name, each in content.items())
        case "L":
            return sum(map(_size, content))
        case "S" | "N":
            return len(content.encode())
        case "B":
            return len(content)
        case _:
            return 1


def refused(message: str) -> ClientError:
    """Return the error for a request that isn't valid."""
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "")
