"""Frozen records work as frozen dataclasses do: the same tests run on both."""

import json
import pickle
from collections.abc import Callable
from copy import copy, deepcopy, replace
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, ClassVar

import pytest

from helpdesk.platform.frozen_record import FrozenRecord


class Parcel(FrozenRecord):
    """A record with every kind of default."""

    UNIT: ClassVar[str] = "g"

    id: str
    weight: int
    label: str | None = None
    contents: tuple[str, ...] = field(default_factory=tuple)

    @property
    def heavy(self) -> bool:
        return self.weight > 1_000


class Tracked(Parcel, kw_only=True):
    """A subclass with fields of its own, which are named."""

    carrier: str
    weight: int = 5


@dataclass(frozen=True)
class ParcelDataclass:
    """The same as a dataclass."""

    UNIT: ClassVar[str] = "g"

    id: str
    weight: int
    label: str | None = None
    contents: tuple[str, ...] = field(default_factory=tuple)

    @property
    def heavy(self) -> bool:
        return self.weight > 1_000


@dataclass(frozen=True, kw_only=True)
class TrackedDataclass(ParcelDataclass):
    """The same as a dataclass."""

    carrier: str
    weight: int = 5


both = pytest.mark.parametrize("make", [Parcel, ParcelDataclass])
both_subclasses = pytest.mark.parametrize("make", [Tracked, TrackedDataclass])

type Make = Callable[..., Any]


@both
def test_values_are_given_by_position_or_by_name(make: Make) -> None:
    parcel = make("a", weight=3, label="b")

    assert (parcel.id, parcel.weight, parcel.label, parcel.contents) == ("a", 3, "b", ())
    assert not parcel.heavy


def test_each_record_has_a_default_of_its_own() -> None:
    class Box(FrozenRecord):
        held: list[str] = field(default_factory=list)

    Box().held.append("a")

    assert Box().held == []


@both
@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}),
        (("a",), {}),
        (("a", 3, None, (), "too many"), {}),
        (("a", 3), {"id": "again"}),
        (("a", 3), {"unknown": 1}),
        (("a", 3), {"UNIT": "kg"}),
        ((), {"weight": 3}),
    ],
)
def test_missing_unknown_and_repeated_values_are_refused(
    make: Make, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(TypeError):
        make(*values, **named)


@both
def test_a_record_does_not_change(make: Make) -> None:
    parcel = make("a", 3)

    for name in ("weight", "unknown"):
        with pytest.raises(FrozenInstanceError):
            setattr(parcel, name, 4)
    with pytest.raises(FrozenInstanceError):
        del parcel.weight
    assert parcel.weight == 3


@both
def test_records_with_equal_values_are_equal_and_have_one_hash(make: Make) -> None:
    assert make("a", 3) == make("a", weight=3, label=None)
    assert make("a", 3) != make("a", 4)
    assert make("a", 3) != ("a", 3, None, ())
    assert len({make("a", 3), make(weight=3, id="a"), make("a", 4)}) == 2


def test_a_record_can_be_generic() -> None:
    class Page[T](FrozenRecord):
        items: list[T]

    assert Page[int]([1]) == Page([1])


def test_records_of_two_classes_are_not_equal() -> None:
    class Letter(FrozenRecord):
        id: str
        weight: int

    class Card(FrozenRecord):
        id: str
        weight: int

    letter: object = Letter("a", 3)
    assert letter != Card("a", 3)


@both
def test_a_record_with_a_value_that_has_no_hash_has_none(make: Make) -> None:
    with pytest.raises(TypeError):
        hash(make("a", 3, contents=[]))


def test_the_representation_is_that_of_a_dataclass() -> None:
    parcel, expected = Parcel(label="b", id="a", weight=3), ParcelDataclass("a", 3, "b")

    assert repr(parcel) == repr(expected).replace("ParcelDataclass", "Parcel")


@both
def test_a_replacement_differs_in_the_values_that_are_given(make: Make) -> None:
    parcel = make("a", 3)

    assert replace(parcel, label="b") == make("a", 3, "b")
    assert parcel.label is None
    with pytest.raises(TypeError):
        replace(parcel, unknown=1)


@both
def test_a_record_can_be_matched(make: Make) -> None:
    assert make.__match_args__ == ("id", "weight", "label", "contents")  # type: ignore[attr-defined] # a class


@both
def test_a_record_can_be_copied_and_pickled(make: Make) -> None:
    parcel = make("a", 3, contents=("b",))

    assert copy(parcel) == deepcopy(parcel) == pickle.loads(pickle.dumps(parcel)) == parcel


@both_subclasses
def test_a_subclass_has_the_fields_of_its_base_first(make: Make) -> None:
    tracked = make("a", carrier="post")

    assert (tracked.id, tracked.weight, tracked.carrier) == ("a", 5, "post")
    assert repr(tracked).partition("(")[2] == "id='a', weight=5, label=None, contents=(), carrier='post')"


@both_subclasses
def test_fields_that_are_named_only_are_not_given_by_position(make: Make) -> None:
    with pytest.raises(TypeError):
        make("a", 3, None, (), "post")


def test_fields_are_listed_as_those_of_a_named_tuple() -> None:
    parcel = Parcel(label="b", id="a", weight=3)

    assert Parcel._fields == ("id", "weight", "label", "contents")
    assert json.dumps(parcel._asdict()) == '{"id": "a", "weight": 3, "label": "b", "contents": []}'
