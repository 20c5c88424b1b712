"""Items in DynamoDB's wire form: `{"S": "text"}` for "text".

boto3 has this too, and asks of every value in turn whether it is of any of ten types. Here the kinds that items are
made of are found by one look at the type; whatever else there may be is left to boto3.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

type Item = dict[str, Any]
type WireItem = dict[str, "AttributeValueTypeDef"]

_serializer, _deserializer = TypeSerializer(), TypeDeserializer()


def to_wire(values: Mapping[str, Any]) -> WireItem:
    """Return plain values in DynamoDB's wire form."""
    return {name: _TO.get(type(value), _serializer.serialize)(value) for name, value in values.items()}


def from_wire(item: Mapping[str, Any]) -> Item:
    """Return an item of DynamoDB's wire form, or of a stream record, as plain values.

    Numbers are int, or Decimal where they have a fraction.
    """
    return {name: _plain(value) for name, value in item.items()}


def _plain(wire: Any) -> Any:
    [(kind, value)] = wire.items()
    convert = _FROM.get(kind)
    return _deserializer.deserialize(wire) if convert is None else convert(value)


def _number(text: str) -> int | Decimal:
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def _same(value: Any) -> Any:
    return value


_TO: dict[type, Callable[[Any], "AttributeValueTypeDef"]] = {
    str: lambda value: {"S": value},
    int: lambda value: {"N": str(value)},
    bool: lambda value: {"BOOL": value},
    NoneType: lambda _: {"NULL": True},
    bytes: lambda value: {"B": value},
    dict: lambda value: {"M": to_wire(value)},
    list: lambda value: {"L": [_TO.get(type(one), _serializer.serialize)(one) for one in value]},
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
