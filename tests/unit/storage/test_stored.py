"""Records as items, their keys, and what a change of them is in DynamoDB's terms."""

from enum import StrEnum
from typing import Any

import pytest

from helpdesk.platform.record import Record
from helpdesk.storage import changes
from helpdesk.storage.actor_name import ActorName, id_of
from helpdesk.storage.changes import above, below, or_missing, other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey, Stored, UnreadableItem
from tests.unit.storage.conftest import Dynamo


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Stamp(Record):
    paid_cents: int
    country: str | None = None


class Parcel(Stored, kw_only=True):
    PK, SK = "ORG#{organization}#PARCEL#{id}", "PARCEL#{number}"
    GSI1 = "ORG#{organization}#PARCELS#{size}", "{sent_at:013d}#{id}"
    GSI2 = "ORG#{organization}#LOST", "{lost_id}"
    organization: str
    id: str
    number: int
    size: Size
    sent_at: int
    stamps: tuple[Stamp, ...] = ()
    received_at: int | None = None
    share: float = 0.5
    sent_by_name: ActorName | None = None
    lost: bool = False
    version: int = 1

    @property
    def lost_id(self) -> str | None:
        return self.id if self.lost else None


PARCEL = Parcel(
    organization="acme",
    id="p1",
    number=7,
    size=Size.LARGE,
    sent_at=5,
    stamps=(Stamp(120),),
    sent_by_name=ActorName("Kim", "usr_1"),
)
ITEM = {
    "PK": "ORG#acme#PARCEL#p1",
    "SK": "PARCEL#7",
    "GSI1PK": "ORG#acme#PARCELS#large",
    "GSI1SK": "0000000000005#p1",
    "id": "p1",
    "number": 7,
    "size": "large",
    "sentAt": 5,
    "stamps": ({"paidCents": 120, "country": None},),
    "share": 0.5,
    "sentByName": "Kim",
    "sentBy": "usr_1",
    "lost": False,
    "version": 1,
}


def test_an_item_has_the_keys_and_every_field_that_is_not_none_and_not_said_by_the_key() -> None:
    assert PARCEL.to_item() == ITEM


def test_a_record_is_read_as_it_was_written() -> None:
    read = Parcel.from_item(PARCEL.to_item())

    assert read == PARCEL
    assert id_of(read.sent_by_name) == "usr_1"


class Shelf(Stored):
    PK, SK = "ORG#{organization}#SHELVES", "{size}#{row}"
    organization: str
    size: Size
    row: str


def test_an_enumeration_is_stored_beside_its_key_and_read_from_the_key_where_it_is_missing() -> None:
    shelf = Shelf("acme", Size.LARGE, "a")
    assert shelf.to_item() == {"PK": "ORG#acme#SHELVES", "SK": "large#a", "size": "large"}
    assert Shelf.from_item({"PK": "ORG#acme#SHELVES", "SK": "large#a"}) == shelf


def test_attributes_that_the_record_does_not_have_are_ignored() -> None:
    assert Parcel.from_item({**ITEM, "unknown": 1}) == PARCEL


def test_an_index_entry_exists_while_its_values_do() -> None:
    lost = Parcel(organization="acme", id="p1", number=7, size=Size.SMALL, sent_at=5, lost=True)

    assert lost.index_entry("GSI2") == {"GSI2PK": "ORG#acme#LOST", "GSI2SK": "p1"}
    assert PARCEL.index_entry("GSI2") == {}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"sentAt": "secret"}, "`$.sentAt`"),
        ({"size": "secret"}, "`$.size`"),
        ({"stamps": [{"paidCents": "secret"}]}, "paidCents"),
    ],
)
def test_an_unreadable_item_is_named_by_its_attribute_and_not_its_value(
    changed: dict[str, Any], named: str
) -> None:
    with pytest.raises(UnreadableItem) as raised:
        Parcel.from_item(ITEM | changed)

    assert named in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("part", ["", "a#b", "x" * 129])
def test_a_part_that_could_make_another_key_is_refused(part: str) -> None:
    with pytest.raises(MalformedKey):
        Parcel.key_for("acme", part, "7")
    with pytest.raises(MalformedKey):
        Parcel.partition_for(part, "large", index="GSI1")


def test_a_part_can_contain_a_line_break() -> None:
    key = Parcel.key_for("acme", "p\n1", "7")

    assert (key.pk, key.sk) == ("ORG#acme#PARCEL#p\n1", "PARCEL#7")
    assert Parcel.parse(key.pk, key.sk) == {"organization": "acme", "id": "p\n1", "number": "7"}


def test_keys_and_partitions_are_made_from_their_parts_and_parsed() -> None:
    key = Parcel.key_for("acme", "p1", "7")

    assert key == PARCEL.key
    assert Parcel.parse(key.pk, key.sk) == {"organization": "acme", "id": "p1", "number": "7"}
    assert Parcel.parse(key.pk, "OTHER") is None
    assert Parcel.partition_for("acme", "large", index="GSI1") == ITEM["GSI1PK"]
    assert PARCEL.position("GSI1") == {name: ITEM[name] for name in ("PK", "SK", "GSI1PK", "GSI1SK")}
    with pytest.raises(TypeError):
        Parcel.key_for("acme", "p1")


def test_a_change_sets_removes_adds_and_requires_by_the_names_of_fields() -> None:
    parts = changes.expression(
        PARCEL.key,
        set={"size": Size.SMALL, "received_at": None, "GSI1PK": "x"},
        add={"version": 1, "number": 0},
        require={"sent_at": 5, "received_at": None, "share": below(1)},
        or_new=False,
    )

    assert parts == {
        "expression": "SET #size = :size, #GSI1PK = :GSI1PK REMOVE #received_at ADD #version :version",
        "condition": "attribute_exists(PK) AND #sent_at = :required_sent_at"
        " AND attribute_not_exists(#received_at)"
        " AND NOT #share >= :required_share",
        "names": {
            "#size": "size",
            "#received_at": "receivedAt",
            "#GSI1PK": "GSI1PK",
            "#version": "version",
            "#sent_at": "sentAt",
            "#share": "share",
        },
        "values": {
            ":size": "small",
            ":GSI1PK": "x",
            ":version": 1,
            ":required_sent_at": 5,
            ":required_share": 1,
        },
    }


def test_requirements_can_be_bounds() -> None:
    assert changes.requirements({"number": above(3), "size": other_than("small")}, or_new=True)[0] == (
        "#number > :required_number AND (attribute_exists(#size) AND #size <> :required_size)"
    )
    assert changes.requirements({"lost": or_missing(False)}, or_new=True)[0] == (
        "(attribute_not_exists(#lost) OR #lost = :required_lost)"
    )


def test_a_difference_has_what_changed_with_its_index_entries_and_the_id_beside_a_name() -> None:
    changed = Parcel.from_item(ITEM | {"size": "small", "sentByName": "Lou", "sentBy": "usr_2", "lost": True})

    assert changes.difference(ITEM | {"receivedAt": 6}, changed) == {
        "size": "small",
        "GSI1PK": "ORG#acme#PARCELS#small",
        "GSI2PK": "ORG#acme#LOST",
        "GSI2SK": "p1",
        "sent_by_name": "Lou",
        "sentBy": "usr_2",
        "lost": True,
        "received_at": None,
    }


def test_a_change_appends_to_a_list() -> None:
    parts = changes.expression(
        PARCEL.key, set={"lost": True}, add={}, append={"stamps": [Stamp(120)]}, require={}, or_new=True
    )

    assert parts["expression"] == "SET #lost = :lost, #stamps = list_append(#stamps, :stamps)"
    assert parts["values"][":stamps"] == [{"paidCents": 120, "country": None}]


def test_a_change_of_an_unknown_field_is_an_error() -> None:
    with pytest.raises(AttributeError):
        changes.expression(PARCEL.key, set={"recieved_at": 3}, add={}, require={}, or_new=False)


def test_all_records_of_a_partition_are_read_as_they_are_now(dynamo: Dynamo) -> None:
    dynamo.outcomes = [{"Items": []}]

    assert Collection(Parcel).all("acme", "p1") == []
    assert [request["ConsistentRead"] for request in dynamo.requests] == [True]
