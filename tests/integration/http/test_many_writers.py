"""32 writers of one thing at once, on a table that refuses what meets a transaction in flight, as DynamoDB does.

The long form (HELPDESK_TESTS=all) has them write for a minute on each thing, the short one once on some.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock
from tests.support import effort
from tests.support.api import Client
from tests.support.hot import ALWAYS, EVERY, OF_A_PERSON, Caller, Hot, accepted, write_at_once
from tests.support.people import issue_token

WRITERS = 32
CALL_SECONDS = 0.004
"""How long a call to DynamoDB takes."""


def _keys(operation: str, request: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the keys of the items that a request writes or requires something of."""
    if operation == "TransactWriteItems":
        actions = [next(iter(each.values())) for each in request["TransactItems"]]
    elif operation in {"UpdateItem", "PutItem", "DeleteItem"}:
        actions = [request]
    else:
        return set()
    found = [each.get("Key") or each["Item"] for each in actions]
    return {(each["PK"]["S"], each["SK"]["S"]) for each in found}


def _refusal(operation: str) -> ClientError:
    code = (
        "TransactionCanceledException"
        if operation == "TransactWriteItems"
        else "TransactionConflictException"
    )
    reasons = [{"Code": "TransactionConflict"}]
    response: Any = {"Error": {"Code": code, "Message": ""}, "CancellationReasons": reasons}
    return ClientError(response, operation)


@contextmanager
def taking_time() -> Iterator[None]:
    """Let each call take a while, in which a transaction keeps others from its items."""
    client: Any = clients.dynamodb()
    own, call = client.__dict__.get("_make_api_call"), client._make_api_call
    in_flight: set[tuple[str, str]] = set()
    lock, table = threading.Lock(), threading.Lock()

    def made(operation: str, request: dict[str, Any]) -> Any:
        keys = _keys(operation, request)
        with lock:
            if keys & in_flight:
                raise _refusal(operation)
            if operation == "TransactWriteItems":
                in_flight.update(keys)
        try:
            time.sleep(CALL_SECONDS)
            with table:  # a call is atomic, as it is in DynamoDB; moto's is not
                return call(operation, request)
        finally:
            if operation == "TransactWriteItems":
                with lock:
                    in_flight.difference_update(keys)

    client._make_api_call = made
    try:
        yield
    finally:
        if own is None:
            del client._make_api_call
        else:
            client._make_api_call = own


@pytest.mark.parametrize("thing", EVERY if effort.whole() else ALWAYS, ids=lambda each: each.__name__)
def test_many_writers_get_their_turn_or_learn_when_to_come_back(
    make_organization: Callable[..., NewOrganization],
    monkeypatch: pytest.MonkeyPatch,
    thing: Callable[[Caller], Hot],
) -> None:
    organization = make_organization(unlimited_api=True)
    role = OF_A_PERSON.get(thing, "").removesuffix("_token")
    credential = organization.secret_key
    if role:
        credential = issue_token(organization.organization_id, role=role, name="Ada")
    hot = thing(Client(credential))
    monkeypatch.setattr(clock, "sleep", time.sleep)

    with taking_time():
        outcomes = write_at_once(hot, WRITERS, seconds=effort.of(0, 60))

    assert [each for each in outcomes if each[0] >= 500] == []
    assert accepted(outcomes) > 0
    assert hot.stored is None or hot.stored() == accepted(outcomes)
