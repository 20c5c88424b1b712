"""DynamoDB's wire form: what goes out comes back, as boto3 writes it."""

from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.storage.wire import from_wire, to_wire

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**37), 10**37) | st.text() | st.binary(min_size=1),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), plain, max_size=5))
def test_a_value_survives_the_round_trip(values: dict[str, Any]) -> None:
    assert from_wire(to_wire(values)) == values


@given(st.dictionaries(st.text(), plain.filter(lambda value: not isinstance(value, bytes)), max_size=5))
def test_the_wire_form_equals_boto3s(values: dict[str, Any]) -> None:
    serializer = TypeSerializer()

    assert to_wire(values) == {name: serializer.serialize(value) for name, value in values.items()}


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (True, {"BOOL": True}),
        (1, {"N": "1"}),
        (None, {"NULL": True}),
        ("", {"S": ""}),
        (b"x", {"B": b"x"}),
        (Colour.RED, {"S": "red"}),
        (Decimal("1.5"), {"N": "1.5"}),
        ([1, {"b": False}], {"L": [{"N": "1"}, {"M": {"b": {"BOOL": False}}}]}),
    ],
)
def test_a_value_has_its_kind(value: Any, wire: dict[str, Any]) -> None:
    assert to_wire({"x": value}) == {"x": wire}


@pytest.mark.parametrize("value", [{"a"}, object()], ids=["set", "object"])
def test_a_value_of_an_unsupported_type_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        to_wire({"x": value})


@pytest.mark.parametrize(
    ("wire", "value"),
    [
        ({"N": "-3"}, -3),
        ({"N": "1.5"}, Decimal("1.5")),
        ({"N": "1E+2"}, Decimal(100)),
    ],
)
def test_a_value_comes_back_plain(wire: dict[str, Any], value: Any) -> None:
    assert from_wire({"x": wire}) == {"x": value}


def test_numbers_come_back_whole_where_they_are_whole() -> None:
    read = from_wire({"a": {"N": "12"}, "b": {"N": "-3"}, "c": {"N": "1.5"}, "d": {"B": b"x"}})

    assert (read["a"], read["b"], str(read["c"]), read["d"]) == (12, -3, "1.5", b"x")
    assert type(read["a"]) is int
