"""DynamoDB's rules for sizes and units, by the examples of its Developer Guide and their edges."""

from typing import Any

import pytest

from benchmarks.capacity import read_units, size, write_units


def of(bytes_: int, **more: Any) -> dict[str, Any]:
    """Return an item of so many bytes without `more`."""
    return {"x": {"S": "a" * (bytes_ - 1)}, **more}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"name": {"S": "Zoë"}}, 4 + 4),
        ({"n": {"N": "27"}}, 1 + 2),
        ({"n": {"N": "-27"}}, 1 + 2),
        ({"n": {"N": "461"}}, 1 + 3),
        ({"b": {"B": b"123"}}, 1 + 3),
        ({"t": {"BOOL": True}, "u": {"NULL": True}}, 2 + 2),
        ({"l": {"L": []}}, 1 + 3),
        ({"l": {"L": [{"S": "ab"}]}}, 1 + 3 + 1 + 2),
        ({"m": {"M": {"k": {"S": "ab"}}}}, 1 + 3 + 1 + 1 + 2),
    ],
)
def test_an_items_size(item: dict[str, Any], expected: int) -> None:
    assert size(item) == expected


@pytest.mark.parametrize(("bytes_", "units"), [(10, 1), (4096, 1), (4097, 2), (40_960, 10)])
def test_a_consistent_read_costs_a_unit_for_each_4_kb_and_half_otherwise(bytes_: int, units: int) -> None:
    assert read_units([of(bytes_)], consistent=True) == units
    assert read_units([of(bytes_)], consistent=False) == units / 2


def test_items_read_together_are_rounded_together() -> None:
    assert read_units([of(100)] * 40, consistent=True) == 1


def test_a_missing_item_costs_one_unit() -> None:
    assert read_units([], consistent=True) == 1
    assert write_units(None, None, transaction=False) == 1


@pytest.mark.parametrize(("bytes_", "units"), [(10, 1), (1024, 1), (1025, 2)])
def test_a_write_costs_a_unit_for_each_kb_of_the_larger_item(bytes_: int, units: int) -> None:
    assert write_units(of(10), of(bytes_), transaction=False) == units
    assert write_units(of(bytes_), None, transaction=False) == units
    assert write_units(None, of(bytes_), transaction=True) == 2 * units


def test_an_index_is_written_once_where_its_keys_stay_and_twice_where_they_move() -> None:
    keys = {"GSI1PK": {"S": "a"}, "GSI1SK": {"S": "1"}}
    moved = {**keys, "GSI1SK": {"S": "2"}}

    assert write_units(None, of(10, **keys), transaction=False) == 1 + 1
    assert write_units(of(10, **keys), of(10, **keys), transaction=False) == 1 + 0
    assert write_units(of(10, **keys), of(20, **keys), transaction=False) == 1 + 1
    assert write_units(of(10, **keys), of(10, **moved), transaction=False) == 1 + 2
    assert write_units(of(10, **keys), of(10), transaction=False) == 1 + 1


def test_an_index_of_keys_is_written_only_where_its_keys_move() -> None:
    keys = {"PK": {"S": "p"}, "SK": {"S": "s"}, "GSI2PK": {"S": "a"}, "GSI2SK": {"S": "1"}}
    moved = {**keys, "GSI2SK": {"S": "2"}}

    assert write_units(None, of(3_500, **keys), transaction=False) == 4 + 1
    assert write_units(of(3_400, **keys), of(3_500, **keys), transaction=False) == 4 + 0
    assert write_units(of(3_500, **keys), of(3_500, **moved), transaction=False) == 4 + 2
    assert write_units(of(3_500, **keys), None, transaction=False) == 4 + 1
