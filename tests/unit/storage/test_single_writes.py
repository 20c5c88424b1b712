"""Single writes and reads of many items: which refusal becomes which error, and what is tried again."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.record import Slug
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed, Throttled, WriteConflict
from tests.unit.storage.conftest import KEY, Dynamo, refused


@pytest.mark.parametrize(
    "code",
    [
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    ],
)
def test_a_single_write_that_dynamodb_asks_to_retry_raises_throttled(dynamo: Dynamo, code: str) -> None:
    dynamo.outcomes = [refused(code)]

    with pytest.raises(Throttled):
        table.update(KEY, "REMOVE a")
    with pytest.raises(Throttled):
        table.put_new(KEY.attributes())


@pytest.mark.parametrize(
    "write",
    [
        lambda: table.update(KEY, "REMOVE a"),
        lambda: table.put_new(KEY.attributes()),
        lambda: table.delete(KEY),
        lambda: table.delete_many([KEY]),
    ],
    ids=["update", "put", "delete", "delete many"],
)
def test_a_single_write_that_meets_a_transaction_is_sent_again_after_a_pause(
    dynamo: Dynamo, pauses: list[float], write: Callable[[], object]
) -> None:
    busy = refused("TransactionConflictException")
    dynamo.outcomes = [busy, busy, {}]

    write()

    assert len(dynamo.requests) == 3
    assert len(pauses) == 2


def test_a_single_write_that_always_meets_transactions_gives_up(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [refused("TransactionConflictException")]

    with pytest.raises(WriteConflict):
        table.update(KEY, "REMOVE a")
    assert 9.5 < sum(pauses) <= 10


def test_a_limiter_does_not_wait_for_a_transaction(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [refused("TransactionConflictException")]

    with table.one_try_when_throttled(), pytest.raises(WriteConflict):
        table.update(KEY, "REMOVE a")
    assert pauses == []


def test_a_single_write_whose_condition_fails_shows_the_item_it_met(dynamo: Dynamo) -> None:
    dynamo.outcomes = [refused("ConditionalCheckFailedException", Item={"a": {"S": "b"}})]

    with pytest.raises(ConditionFailed) as caught:
        table.update(KEY, "SET a = :a", condition="attribute_not_exists(PK)", values={":a": "c"})

    assert caught.value.item == {"a": "b"}


def test_any_other_refusal_of_a_single_write_is_raised_as_it_is(dynamo: Dynamo) -> None:
    dynamo.outcomes = [refused("ValidationException")]

    with pytest.raises(ClientError, match="ValidationException"):
        table.update(KEY, "REMOVE a")


def _wire(slug: str) -> dict[str, Any]:
    return {"PK": {"S": f"SLUG#{slug}"}, "SK": {"S": "SLUG"}}


def test_many_items_are_read_a_hundred_at_a_time_and_each_once(dynamo: Dynamo) -> None:
    wanted = [Slug.key_for(f"s{number}") for number in range(150)]
    dynamo.outcomes = [
        {"Responses": {"helpdesk": [_wire("s0")]}, "UnprocessedKeys": {}},
        {"Responses": {"helpdesk": [_wire("s149")]}, "UnprocessedKeys": {}},
    ]

    found = table.get_many([*wanted, *wanted])

    assert [len(request["RequestItems"]["helpdesk"]["Keys"]) for request in dynamo.requests] == [100, 50]
    assert set(found) == {Slug.key_for("s0"), Slug.key_for("s149")}


def test_unprocessed_keys_are_requested_again_after_a_pause(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [
        {
            "Responses": {"helpdesk": [_wire("a")]},
            "UnprocessedKeys": {"helpdesk": {"Keys": [Slug.key_for("b").attributes()]}},
        },
        {"Responses": {"helpdesk": [_wire("b")]}, "UnprocessedKeys": {}},
    ]

    assert set(table.get_many([Slug.key_for("a"), Slug.key_for("b")])) == {
        Slug.key_for("a"),
        Slug.key_for("b"),
    }
    assert len(pauses) == 1


def test_keys_that_are_never_processed_are_not_taken_for_missing_items(
    dynamo: Dynamo, pauses: list[float]
) -> None:
    dynamo.outcomes = [
        {"Responses": {}, "UnprocessedKeys": {"helpdesk": {"Keys": [Slug.key_for("a").attributes()]}}}
    ]

    with pytest.raises(Throttled):
        table.get_many([Slug.key_for("a")])
    assert 9.5 < sum(pauses) <= 10
