"""Transactions: which refusal becomes which error, and what is tried again. DynamoDB is stubbed."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from msgspec.structs import replace

from helpdesk.accounts.organizations.record import Slug
from helpdesk.platform import clock
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.stored import Stored
from helpdesk.storage.transactions import (
    Transaction,
    TransactionFailed,
    prepend_to_next_transaction,
)
from tests.unit.storage.conftest import KEY, Dynamo, refused


class NotThere(Exception):
    """What the first action of a test names."""


class Taken(Exception):
    """What the second action names, with the item it met."""


class Label(Stored):
    PK, SK = "ORG#{organization}#LABEL#{id}", "LABEL"
    organization: str
    id: str
    text: str


class Sketch(Stored):
    PK, SK = "ORG#{organization}#SKETCH#{id}", "SKETCH"
    organization: str
    id: str
    text: str = ""
    version: int = 0


def cancelled(*codes: str, item: dict[str, Any] | None = None) -> ClientError:
    reasons = [{"Code": code, **({"Item": item} if item else {})} for code in codes]
    return refused("TransactionCanceledException", CancellationReasons=reasons)


def two_actions() -> Transaction:
    transaction = Transaction()
    transaction.update(
        KEY, "SET a = :a", condition="a = :b", values={":a": 1}, on_failure=lambda _: NotThere()
    )
    transaction.put({**KEY.attributes(), "a": 1}, new=True, on_failure=Taken)
    return transaction


def test_collected_actions_are_written_in_one_call(dynamo: Dynamo, pauses: list[float]) -> None:
    two_actions().commit()

    (request,) = dynamo.requests
    assert [next(iter(action)) for action in request["TransactItems"]] == ["Update", "Put"]
    assert pauses == []


def test_a_failed_condition_raises_the_exception_of_its_action(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [cancelled("ConditionalCheckFailed", "None")]

    with pytest.raises(NotThere):
        two_actions().commit()
    assert len(dynamo.requests) == 1


def test_a_failed_condition_shows_the_item_it_met(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("None", "ConditionalCheckFailed", item={"a": {"N": "7"}})]

    with pytest.raises(Taken) as caught:
        two_actions().commit()

    assert caught.value.args == ({"a": 7},)


def test_a_failed_condition_on_a_missing_item_says_so(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("None", "ConditionalCheckFailed")]

    with pytest.raises(Taken) as caught:
        two_actions().commit()

    assert caught.value.args == (None,)


def test_of_two_failed_conditions_the_first_counts(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("ConditionalCheckFailed", "ConditionalCheckFailed")]

    with pytest.raises(NotThere):
        two_actions().commit()


def test_a_failed_condition_without_an_exception_is_a_defect(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("ConditionalCheckFailed")]
    transaction = Transaction()
    transaction.require(KEY, "attribute_exists(PK)")

    with pytest.raises(TransactionFailed):
        transaction.commit()


def test_a_failed_condition_together_with_a_conflict_is_not_retried(
    dynamo: Dynamo, pauses: list[float]
) -> None:
    dynamo.outcomes = [cancelled("TransactionConflict", "ConditionalCheckFailed")]

    with pytest.raises(Taken):
        two_actions().commit()
    assert pauses == []


@pytest.mark.parametrize(
    "busy",
    [
        cancelled("None", "TransactionConflict"),
        cancelled("ThrottlingError", "None"),
        cancelled("None", "ProvisionedThroughputExceeded"),
        refused("TransactionInProgressException"),
    ],
    ids=["conflict", "throttled", "capacity", "in progress"],
)
def test_a_retryable_error_is_retried_after_a_pause(
    dynamo: Dynamo, pauses: list[float], busy: ClientError
) -> None:
    dynamo.outcomes = [busy, busy, {}]

    two_actions().commit()

    assert len(dynamo.requests) == 3
    assert len(pauses) == 2


def test_after_ten_seconds_of_conflicts_it_gives_up(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [cancelled("TransactionConflict", "None")]

    with pytest.raises(Conflict):
        two_actions().commit()
    assert 9.5 < sum(pauses) <= 10
    assert len(dynamo.requests) == len(pauses) + 1


def test_after_the_deadline_of_its_event_it_gives_up(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [cancelled("TransactionConflict", "None")]
    transaction = two_actions()
    transaction.set_deadline(clock.now_ms() + 2_000)

    with pytest.raises(Conflict):
        transaction.commit()
    assert 1.5 < sum(pauses) <= 2


@pytest.mark.parametrize(
    "code", ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"]
)
def test_any_other_refusal_is_raised_as_it_is(dynamo: Dynamo, pauses: list[float], code: str) -> None:
    dynamo.outcomes = [refused(code)]

    with pytest.raises(ClientError, match=code):
        two_actions().commit()
    assert len(dynamo.requests) == 1


def test_a_transaction_cancelled_for_another_reason_is_raised_as_it_is(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("ValidationError", "None")]

    with pytest.raises(ClientError, match="TransactionCanceledException"):
        two_actions().commit()


def test_every_condition_asks_for_the_item_that_failed_it(dynamo: Dynamo) -> None:
    transaction = two_actions()
    transaction.delete(KEY, condition="a = :a", values={":a": 1})
    transaction.require(KEY, "attribute_exists(PK)")
    transaction.put(KEY.attributes())
    transaction.update(KEY, "REMOVE a")
    transaction.commit()

    asked = [
        next(iter(action.values())).get("ReturnValuesOnConditionCheckFailure")
        for action in dynamo.requests[0]["TransactItems"]
    ]
    assert asked == ["ALL_OLD", "ALL_OLD", "ALL_OLD", "ALL_OLD", None, None]


def test_an_empty_transaction_is_false() -> None:
    assert not Transaction()


class ClaimLost(Exception):
    """What the carried action of a test names."""


def claim() -> Transaction:
    carried = Transaction()
    carried.require(Slug.key_for("claim"), "mine = :me", values={":me": 1}, on_failure=lambda _: ClaimLost())
    return carried


def kinds_written(dynamo: Dynamo) -> list[list[str]]:
    return [[next(iter(action)) for action in request["TransactItems"]] for request in dynamo.requests]


def test_the_first_written_transaction_has_the_prepended_actions_and_no_later_one(dynamo: Dynamo) -> None:
    with prepend_to_next_transaction(claim()):
        two_actions().commit()
        two_actions().commit()
    two_actions().commit()

    assert kinds_written(dynamo) == [
        ["ConditionCheck", "Update", "Put"],
        ["Update", "Put"],
        ["Update", "Put"],
    ]


def test_after_a_failed_transaction_the_next_one_has_the_prepended_actions(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("None", "ConditionalCheckFailed", "None"), {}]

    with prepend_to_next_transaction(claim()):
        transaction = two_actions()
        with pytest.raises(NotThere):
            transaction.commit()
        transaction.commit()

    assert kinds_written(dynamo) == [["ConditionCheck", "Update", "Put"]] * 2


def test_prepended_actions_are_retried_with_their_transaction(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [cancelled("TransactionConflict", "None", "None"), {}]

    with prepend_to_next_transaction(claim()):
        two_actions().commit()

    assert kinds_written(dynamo) == [["ConditionCheck", "Update", "Put"]] * 2
    assert len(pauses) == 1


def test_a_prepended_condition_that_fails_is_raised_before_the_works_own(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("ConditionalCheckFailed", "ConditionalCheckFailed", "None")]

    with prepend_to_next_transaction(claim()), pytest.raises(ClaimLost):
        two_actions().commit()


def test_with_prepended_actions_the_works_own_conditions_keep_their_exceptions(dynamo: Dynamo) -> None:
    dynamo.outcomes = [cancelled("None", "None", "ConditionalCheckFailed", item={"a": {"N": "7"}})]

    with prepend_to_next_transaction(claim()), pytest.raises(Taken) as caught:
        two_actions().commit()

    assert caught.value.args == ({"a": 7},)


def test_nothing_is_prepended_outside_the_block(dynamo: Dynamo) -> None:
    with pytest.raises(ZeroDivisionError), prepend_to_next_transaction(claim()):
        raise ZeroDivisionError
    two_actions().commit()

    assert kinds_written(dynamo) == [["Update", "Put"]]


def test_a_save_without_a_difference_requires_the_item_and_writes_nothing(dynamo: Dynamo) -> None:
    label, transaction = Label("acme", "l1", "Fragile"), Transaction()
    transaction.save(label, label, require={"text": "Fragile"})
    transaction.commit()

    (request,) = dynamo.requests
    assert [next(iter(action)) for action in request["TransactItems"]] == ["ConditionCheck"]


def test_a_save_of_a_record_of_version_0_adds_it_with_version_1_if_there_is_none(dynamo: Dynamo) -> None:
    sketch, transaction = Sketch("acme", "s1"), Transaction()
    written = transaction.save(sketch, replace(sketch, text="New"))
    transaction.commit()

    (request,) = dynamo.requests
    (put,) = (action["Put"] for action in request["TransactItems"])
    assert written == Sketch("acme", "s1", "New", version=1)
    assert put["Item"]["version"] == {"N": "1"}
    assert put["ConditionExpression"] == "attribute_not_exists(PK)"
