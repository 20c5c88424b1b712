"""Queries of the index that holds keys only."""

from typing import Any

import pytest

from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Filter, to_wire
from tests.unit.storage.conftest import Dynamo


class Letter(Stored, kw_only=True):
    PK, SK = "ORG#{organization}#LETTER#{id}", "LETTER"
    GSI2 = "UNREAD#{shard}", "{due}#{id}"
    organization: str
    id: str
    shard: int = 3
    due: str = "0"
    text: str = ""


letters = Collection(Letter)


def entry(letter: Letter) -> Any:
    return to_wire(letter.position("GSI2"))


def behind(*present: Letter) -> Any:
    """Return the answer to a batch read, which has no order."""
    items = [to_wire(letter.to_item()) for letter in reversed(present)]
    return {"Responses": {"helpdesk": items}, "UnprocessedKeys": {}}


def letter(letter_id: str, **values: Any) -> Letter:
    return Letter(organization="acme", id=letter_id, **values)


def test_the_records_behind_the_keys_are_read_in_one_call_and_keep_the_order_of_the_index(
    dynamo: Dynamo,
) -> None:
    first, second, third = letter("a", text="One"), letter("b", text="Two"), letter("c", text="Three")
    dynamo.outcomes = [{"Items": [entry(first), entry(second), entry(third)]}, behind(first, second)]

    page = letters.page("3", index="GSI2", limit=2)

    assert page.records == [first, second]
    assert page.after == second.position("GSI2")
    assert [request.get("IndexName") for request in dynamo.requests] == ["GSI2", None]
    keys = [to_wire(each.key.attributes()) for each in (first, second)]
    assert dynamo.requests[1] == {"RequestItems": {"helpdesk": {"Keys": keys, "ConsistentRead": False}}}


def test_a_record_that_is_gone_or_has_moved_in_the_index_is_left_out(dynamo: Dynamo) -> None:
    gone, moved, stays = letter("a"), letter("b"), letter("c")
    dynamo.outcomes = [
        {"Items": [entry(gone), entry(moved), entry(stays)]},
        behind(letter("b", due="9"), stays),
    ]

    assert letters.page("3", index="GSI2", limit=5).records == [stays]


def test_what_is_due_is_read_as_it_is_now(dynamo: Dynamo) -> None:
    due = letter("a")
    dynamo.outcomes = [{"Items": [entry(due)]}, behind(due)]

    assert letters.due(3, 1, 5, None, index="GSI2") == ([due], None)
    assert dynamo.requests[1]["RequestItems"]["helpdesk"]["ConsistentRead"] is True


def test_nothing_is_read_behind_an_empty_page(dynamo: Dynamo) -> None:
    dynamo.outcomes = [{"Items": []}]

    assert letters.page("3", index="GSI2", limit=5).records == []
    assert len(dynamo.requests) == 1


def test_keys_cannot_be_filtered(dynamo: Dynamo) -> None:
    empty = Filter("#text = :text", {"#text": "text"}, {":text": ""})

    with pytest.raises(TypeError, match="GSI2 holds keys only"):
        letters.page("3", index="GSI2", limit=5, matching=empty)
    assert dynamo.requests == []
