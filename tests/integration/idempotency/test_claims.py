"""Requests with one key at once, late ones, and responses that are lost."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.idempotency import repository, service
from helpdesk.api.idempotency.record import Idempotency
from helpdesk.platform import clients
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Transaction
from tests.integration.idempotency.test_repeats import KEY, MESSAGE, later, messages
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.people import make_person, token_of
from tests.support.repeats import census, kept, prepared

SEEDS = effort.of(3, 6)


@pytest.mark.parametrize("name", ["postMessage", "createOrganization", "createKey", "createInvite", "upload"])
def test_one_of_several_concurrent_requests_runs(
    name: str, make_organization: Callable[..., NewOrganization]
) -> None:
    whole_table.clear()
    prepared(name, make_organization()).send()
    once = census()
    for seed in range(SEEDS):
        whole_table.clear()
        request = prepared(name, make_organization())

        outcomes = interleaved([request.send for _ in range(3)], seed).all()

        answers = [answer for answer, _ in outcomes]
        ran = [a for a in answers if a.status == 200 and "idempotent-replayed" not in a.headers]
        assert len(ran) == 1, seed
        codes = {answer.code for answer in answers if answer.status != 200}
        assert codes <= {"idempotency_in_progress", "idempotency_answer_withheld"}
        assert [a for a in answers if a.status == 200 and a.body != ran[0].body] == []
        waits = [a.headers["retry-after"] for a in answers if a.status != 200 and a.code.endswith("progress")]
        assert set(waits) <= {"1", "2"}
        assert census() == once


def test_a_request_that_continues_after_its_repeat_took_over_writes_nothing(api: Client) -> None:
    repeat: list[Answer] = []

    def sleep(model: Any, **_: Any) -> None:
        if model.name != "TransactWriteItems" or threading.current_thread() is not main or repeat:
            return
        with later(30_000):
            taking_over = threading.Thread(
                target=lambda: repeat.append(api.post("/v1/messages", MESSAGE, **KEY))
            )
            taking_over.start()
            taking_over.join()

    main = threading.current_thread()
    events = clients.dynamodb().meta.events
    events.register("before-call", sleep)
    try:
        first = api.post("/v1/messages", MESSAGE, **KEY)
    finally:
        events.unregister("before-call", sleep)

    assert repeat[0].status == 200
    assert (first.status, first.code, first.headers["retry-after"]) == (409, "idempotency_in_progress", "1")
    assert messages() == [MESSAGE["body"]]
    with later(30_000):
        assert api.post("/v1/messages", MESSAGE, **KEY).body == repeat[0].body


def test_a_lost_claim_takes_precedence_over_a_rule_that_the_repeat_made_fail(
    organization: NewOrganization,
) -> None:
    """The repeat took the slug, so "slug_taken" would be wrong."""
    client = Client(token_of(make_person(None, role="member", name="Paula"), None))
    new, main = {"name": "Acme", "slug": "acme-3"}, threading.current_thread()
    repeat: list[Answer] = []

    def sleep(model: Any, **_: Any) -> None:
        if model.name == "TransactWriteItems" and threading.current_thread() is main and not repeat:
            with later(30_000):
                taking_over = threading.Thread(
                    target=lambda: repeat.append(client.post("/v1/organizations", new, **KEY))
                )
                taking_over.start()
                taking_over.join()

    events = clients.dynamodb().meta.events
    events.register("before-call", sleep)
    try:
        first = client.post("/v1/organizations", new, **KEY)
    finally:
        events.unregister("before-call", sleep)

    assert [answer.status for answer in repeat] == [200]
    assert first.code == "idempotency_in_progress"


def test_a_late_transaction_of_a_rejected_request_writes_nothing(api: Client) -> None:
    """After a refusal the key is free, so a write that is still in flight must fail."""
    held: list[Transaction] = []
    commit = Transaction.commit

    def lose(transaction: Transaction) -> None:
        held.append(transaction)
        raise Conflict

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "commit", lose)
        assert api.post("/v1/messages", MESSAGE, **KEY).code == "conflict"
    (item,) = kept()
    late = repository.proof(Idempotency.from_item(item).key, item["claimId"], RuntimeError)
    with pytest.raises(RuntimeError):
        commit(late)
    assert messages() == []


def test_a_transaction_whose_response_was_lost_is_not_repeated(api: Client) -> None:
    def lose(model: Any, **_: Any) -> None:
        if model.name == "TransactWriteItems":
            raise ClientError({"Error": {"Code": "InternalServerError", "Message": ""}}, model.name)

    events = clients.dynamodb().meta.events
    events.register("after-call", lose)
    try:
        first = api.post("/v1/messages", MESSAGE, **KEY)
    finally:
        events.unregister("after-call", lose)
    assert first.code == "internal_error"
    assert api.post("/v1/messages", MESSAGE, **KEY).code == "idempotency_in_progress"
    with later(30_000):
        answer = api.post("/v1/messages", MESSAGE, **KEY)

    assert answer.code == "idempotency_answer_lost"
    assert messages() == [MESSAGE["body"]]


def test_a_response_that_cannot_be_stored_is_still_returned(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(*_: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(repository, "store_response", throttled)
        assert api.post("/v1/messages", MESSAGE, **KEY).status == 200
    with later(30_000):
        assert api.post("/v1/messages", MESSAGE, **KEY).code == "idempotency_answer_lost"


def test_a_throttled_claim_asks_for_a_retry(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def throttled(*_: Any, **__: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(repository, "claim", throttled)
        answer = api.post("/v1/messages", MESSAGE, **KEY)

    assert (answer.code, answer.headers["retry-after"]) == ("idempotency_in_progress", "1")
    assert messages() == []


def test_a_claim_whose_response_was_lost_is_recognized(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = repository.claim

    def twice(*arguments: Any, **named: Any) -> None:
        claim(*arguments, **named)
        claim(*arguments, **named)

    monkeypatch.setattr(repository, "claim", twice)

    assert api.post("/v1/messages", MESSAGE, **KEY).status == 200


def test_a_response_that_is_too_long_to_store_is_returned_once(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_KEPT_BYTES", 10)

    assert api.post("/v1/messages", MESSAGE, **KEY).status == 200
    again = api.post("/v1/messages", MESSAGE, **KEY)

    assert (again.status, again.code) == (409, "idempotency_answer_lost")
    assert len(messages()) == 1


def test_a_retried_transaction_proves_the_claim_again(
    make_organization: Callable[..., NewOrganization],
) -> None:
    """Of two concurrent messages in one session, one loses and writes again with its own key."""
    for seed in range(SEEDS):
        whole_table.clear()
        client = Client(make_organization().secret_key)
        client.post("/v1/messages", MESSAGE)

        send = [
            partial(client.post, "/v1/messages", {**MESSAGE, "body": f"{n}"}, **{"idempotency-key": f"{n}"})
            for n in range(3)
        ]
        answers = interleaved(send, seed).all()

        assert [answer.status for answer in answers] == [200, 200, 200]
        assert [item["state"] for item in kept()] == ["answered"] * 3
        assert sorted(messages()) == ["0", "1", "2", MESSAGE["body"]]
