"""Every route that changes an item, while others write the same items: it gets its turn or says so, and never fails.

DynamoDB cancels a transaction, and refuses a single write, that meets a transaction. It throttles an item that is
written too often. And the condition of a write fails if another writer came between the read and the write.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance
from helpdesk.api.admission.caller import Access
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Tokens
from helpdesk.platform import clients, ids
from helpdesk.storage import retrying
from scripts.openapi import examples
from scripts.openapi.routes import all_routes, operation_id, path_template
from tests.support import integrations, repeats, stand_in
from tests.support.api import Answer, Client
from tests.support.people import issue_token, make_person, token_of
from tests.support.things import filled, things

ROUTES = {
    operation_id(route): route
    for route in all_routes()
    if route.method != "GET" and route.access is not Access.PUBLIC
}
REPO = "acme/shop"

type Request = dict[str, Any]
type Call = Callable[[str, Request], Any]
type Meeting = Callable[[Call, str, Request], None]
"""What happens when a write meets others: an error of DynamoDB, or a write that comes first."""

# ------------------------------------------------------------------------------------------- what a write can meet


def _refuse(operation: str, single: str, reason: str, request: Request) -> None:
    code, reasons = single, []
    if operation == "TransactWriteItems":
        code = "TransactionCanceledException"
        reasons = [{"Code": reason}, *({"Code": "None"} for _ in request["TransactItems"][1:])]
    response: Any = {"Error": {"Code": code, "Message": ""}, "CancellationReasons": reasons}
    raise ClientError(response, operation)


def a_transaction(_: Call, operation: str, request: Request) -> None:
    """Meet a transaction that is writing one of the items."""
    _refuse(operation, "TransactionConflictException", "TransactionConflict", request)


def too_many_writes(_: Call, operation: str, request: Request) -> None:
    """Meet so many writes that DynamoDB throttles."""
    _refuse(operation, "ThrottlingException", "ThrottlingError", request)


# By these attributes a write finds out that another one came between. Only a write changes them.
_MOVED: dict[str, Callable[[Any], Any]] = {
    "version": lambda seen: {"N": str(int(seen["N"]) + 1)},
    "revision": lambda _: {"S": ids.ulid()},
    "newestMessageId": lambda _: {"S": ids.new("msg")},
}


def another_writer(call: Call, operation: str, request: Request) -> None:
    """Let another write come between: it changes what the conditions of this one compare."""
    whole = operation == "TransactWriteItems"
    for action in [next(iter(each.values())) for each in request["TransactItems"]] if whole else [request]:
        names = action.get("ExpressionAttributeNames", {})
        compared = re.findall(r"(#?\w+) = :\w+", action.get("ConditionExpression", ""))
        for name in {names.get(each, each) for each in compared} & _MOVED.keys():
            place = {"TableName": action["TableName"], "Key": action["Key"]}
            found = call("GetItem", {**place, "ConsistentRead": True}).get("Item", {})
            if name in found:
                change = {"UpdateExpression": "SET #n = :n", "ExpressionAttributeNames": {"#n": name}}
                call(
                    "UpdateItem",
                    {**place, **change, "ExpressionAttributeValues": {":n": _MOVED[name](found[name])}},
                )


@contextmanager
def meeting(meet: Meeting, times: int | None) -> Iterator[None]:
    """Let the writes of the block meet others so often, for ever with None."""
    client: Any = clients.dynamodb()
    own, call = client.__dict__.get("_make_api_call"), client._make_api_call
    met: list[str] = []

    def made(operation: str, request: Request) -> Any:
        writes = operation in {"TransactWriteItems", "UpdateItem", "PutItem", "DeleteItem"}
        # Limiters take no second try, and tests of their own.
        if writes and not clients.tries_once() and (times is None or len(met) < times):
            met.append(operation)
            meet(call, operation, request)
        return call(operation, request)

    client._make_api_call = made
    try:
        yield
    finally:
        if own is None:
            del client._make_api_call
        else:
            client._make_api_call = own


# ------------------------------------------------------------------------------------------------- valid requests


def _with_chatmirror(home: str) -> Any:
    integrations.connect(home, App.SLACK, "T1", "Acme", Tokens())
    return {"enabled": False}


def _with_chatcommunity(home: str) -> Any:
    integrations.connect(home, App.DISCORD, "G1", "Acme", Tokens())
    return {"enabled": False}


def _with_tracker(home: str) -> Any:
    integrations.connect_tracker(home)
    return examples.BODIES["updateTracker"]


def _with_mirror(home: str) -> Any:
    integrations.connect(home, App.GITHUB, "4711", "acme", Tokens())
    owner = Client(issue_token(home, role="owner", name="Olga"))
    assert owner.post("/v1/integrations/repos", {"repo": REPO}).status == 200
    return {"repo": REPO, "path": "guides"}


BODIES: dict[str, Callable[[str], Any]] = {
    "updatePost": lambda _: {"title": "Pack faster still", "state": "public"},
    "updateTeam": lambda _: {"name": "Parcels"},
    "updateTool": lambda _: {"enabled": False},
    "updateSignIn": lambda _: {"method": "app", "appUrl": "https://app.example.com/sign-in"},
    "updateChatmirror": _with_chatmirror,
    "updateChatcommunity": _with_chatcommunity,
    "updateTracker": _with_tracker,
    "updateRepo": _with_mirror,
}


def prepared(name: str, organization: NewOrganization) -> Callable[[], Answer]:
    """Make what an operation needs, so that it succeeds, and return what sends its request."""
    route, home = ROUTES[name], organization.organization_id
    olga = make_person(home, role="owner", name="Olga")
    if name in repeats.ROUTES:
        ready = repeats.prepared(name, organization)
        return lambda: Client(ready.credential).request("POST", ready.path, ready.body)
    path = filled(path_template(route), things(path_template(route), organization, olga))
    if name == "removeRepo":
        path += f"?repo={_with_mirror(home)['repo']}"
    body = BODIES[name](home) if name in BODIES else examples.BODIES.get(name)
    credential = organization.secret_key if route.access is Access.SECRET_KEY else token_of(olga, home)
    return lambda: Client(credential).request(route.method, path, body)


def stored() -> dict[str, Any]:
    """Return what is stored, without what the other writer changes, and without tokens and places that are taken."""
    return {
        key: {name: value for name, value in item.items() if name not in _MOVED}
        for key, item in repeats.world().items()
        if not any(taken in key for taken in ("BUCKET", "WAITS", "COUNTER"))
    }


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up after a second, which is enough tries to count."""
    monkeypatch.setattr(retrying, "MOST_MS", 1_000)


def fields(body: Any) -> Any:
    """Return what an answer has, without the values."""
    return {name: fields(each) for name, each in body.items()} if isinstance(body, Mapping) else type(body)


# It calls a tool, and notes that as well as it can.
NOTES_ONLY = {"testTool"}


@pytest.mark.parametrize("name", ROUTES)
def test_a_request_among_many_writers_is_answered_as_if_it_were_alone_or_says_to_send_it_again(
    make_organization: Callable[[], NewOrganization], name: str
) -> None:
    send = prepared(name, make_organization())
    before = stored()
    alone = send()
    writes = stored() != before and name not in NOTES_ONLY
    assert alone.status < 400, alone
    stand_in.clear()
    allowance.forget()
    send = prepared(name, make_organization())

    for meet in (a_transaction, too_many_writes, another_writer):
        before = stored()
        with meeting(meet, None):
            answer = send()
        if answer.status < 400:  # it writes nothing, or compares nothing with what the others change
            assert meet is another_writer or not writes, (meet, answer)
            return
        assert (answer.status, answer.code, answer.headers.get("retry-after")) == (409, "conflict", "1"), (
            meet,
            answer,
        )
        assert stored() == before, meet
    with meeting(a_transaction, 2), meeting(another_writer, 4):
        answer = send()
    assert (answer.status, fields(answer.body)) == (alone.status, fields(alone.body)), answer
