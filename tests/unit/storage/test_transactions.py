"""Transactions: which refusal becomes which error, and what is tried again. DynamoDB is stubbed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import keys, table
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.table import ConditionFailed, Throttled, WriteConflict
from helpdesk.storage.transactions import (
    Transaction,
    TransactionFailed,
    prepend_to_next_transaction,
)

KEY = keys.Slug("acme")


class NotThere(Exception):
    """What the first action of a test names."""


class Taken(Exception):
    """What the second action names, with the item it met."""


class Dynamo:
    """Answers calls with prepared outcomes in turn, the last one for ever after."""

    def __init__(self) -> None:
        self.outcomes: list[Any] = [{}]
        self.requests: list[dict[str, Any]] = []

    def _answer(self, **request: Any) -> Any:
        self.requests.append(request)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    transact_write_items = update_item = put_item = delete_item = batch_write_item = _answer
    batch_get_item = query = _answer


def refused(code: str, **extra: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": "any text, which nobody may read"}, **extra}
    return ClientError(response, "TransactWriteItems")


def cancelled(*codes: str, item: dict[str, Any] | None = None) -> ClientError:
    reasons = [{"Code": code, **({"Item": item} if item else {})} for code in codes]
    return refused("TransactionCanceledException", CancellationReasons=reasons)


@pytest.fixture
def dynamo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dynamo]:
    stub = Dynamo()
    monkeypatch.setenv("TABLE_NAME", "helpdesk")
    monkeypatch.setattr(clients, "dynamodb", lambda: stub)
    settings.cache_clear()
    yield stub
    settings.cache_clear()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Collect the seconds that would have been slept."""
    slept: list[float] = []
    monkeypatch.setattr(clock, "sleep", slept.append)
    return slept


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
    wanted = [keys.Slug(f"s{number}") for number in range(150)]
    dynamo.outcomes = [
        {"Responses": {"helpdesk": [_wire("s0")]}, "UnprocessedKeys": {}},
        {"Responses": {"helpdesk": [_wire("s149")]}, "UnprocessedKeys": {}},
    ]

    found = table.get_many([*wanted, *wanted])

    assert [len(request["RequestItems"]["helpdesk"]["Keys"]) for request in dynamo.requests] == [100, 50]
    assert set(found) == {keys.Slug("s0"), keys.Slug("s149")}


def test_unprocessed_keys_are_requested_again_after_a_pause(dynamo: Dynamo, pauses: list[float]) -> None:
    dynamo.outcomes = [
        {
            "Responses": {"helpdesk": [_wire("a")]},
            "UnprocessedKeys": {"helpdesk": {"Keys": [keys.Slug("b").attributes()]}},
        },
        {"Responses": {"helpdesk": [_wire("b")]}, "UnprocessedKeys": {}},
    ]

    assert set(table.get_many([keys.Slug("a"), keys.Slug("b")])) == {keys.Slug("a"), keys.Slug("b")}
    assert len(pauses) == 1


def test_keys_that_are_never_processed_are_not_taken_for_missing_items(
    dynamo: Dynamo, pauses: list[float]
) -> None:
    dynamo.outcomes = [
        {"Responses": {}, "UnprocessedKeys": {"helpdesk": {"Keys": [keys.Slug("a").attributes()]}}}
    ]

    with pytest.raises(Throttled):
        table.get_many([keys.Slug("a")])
    assert 9.5 < sum(pauses) <= 10


def test_numbers_come_back_whole_where_they_are_whole() -> None:
    read = table.from_wire({"a": {"N": "12"}, "b": {"N": "-3"}, "c": {"N": "1.5"}, "d": {"B": b"x"}})

    assert (read["a"], read["b"], str(read["c"]), read["d"]) == (12, -3, "1.5", b"x")
    assert type(read["a"]) is int


class ClaimLost(Exception):
    """What the carried action of a test names."""


def claim() -> Transaction:
    carried = Transaction()
    carried.require(keys.Slug("claim"), "mine = :me", values={":me": 1}, on_failure=lambda _: ClaimLost())
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
