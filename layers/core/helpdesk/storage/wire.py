"""Items in DynamoDB's wire form: `{"S": "text"}` for "text".

boto3 has this too, and compares every value with ten types in turn. Here a dictionary maps the types that items use.
Sets are not supported: no item has one.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

type Item = dict[str, Any]
type WireItem = dict[str, "AttributeValueTypeDef"]


def to_wire(values: Mapping[str, Any]) -> WireItem:
    """Return plain values in DynamoDB's wire form. Raises TypeError for a value of an unsupported type."""
    return {name: _wired(value) for name, value in values.items()}


def from_wire(item: Mapping[str, Any]) -> Item:
    """Return an item of DynamoDB's wire form, or of a stream record, as plain values.

    Numbers are int, or Decimal where they have a fraction.
    """
    return {name: _plain(value) for name, value in item.items()}


def _plain(wire: Any) -> Any:
    [(kind, value)] = wire.items()
    return _FROM[kind](value)


def _wired(value: Any) -> "AttributeValueTypeDef":
    convert = _TO.get(type(value))
    if convert is not None:
        return convert(value)
    if isinstance(value, str):  # the value of a StrEnum
        return {"S": str(value)}
    raise TypeError(f"no item may have a {type(value).__name__}")


def _number(text: str) -> int | Decimal:
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def _same(value: Any) -> Any:
    return value


_TO: dict[type, Callable[[Any], "AttributeValueTypeDef"]] = {
    str: lambda value: {"S": value},
    int: lambda value: {"N": str(value)},
    bool: lambda value: {"BOOL": value},
    NoneType: lambda _: {"NULL": True},
    Decimal: lambda value: {"N": str(value)},
    float: lambda value: {"N": repr(value)},
    bytes: lambda value: {"B": value},
    dict: lambda value: {"M": to_wire(value)},
    list: lambda value: {"L": [_wired(one) for one in value]},
    tuple: lambda value: {"L": [_wired(one) for one in value]},
}

_FROM: dict[str, Callable[[Any], Any]] = {
    "S": _same,
    "N": _number,
    "BOOL": _same,
    "NULL": lambda _: None,
    "B": bytes,
    "M": from_wire,
    "L": lambda value: [_plain(one) for one in value],
}
