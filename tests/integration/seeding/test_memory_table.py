"""The table in memory answers as moto does: every call of a request, and what the table holds afterwards.

`make test` sends each write and every third read; `make test-all` sends all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.session import Session

from benchmarks.populated import NOW_MS, Clock, Populated, add_rest
from benchmarks.scale_requests import following, reads, writes
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations.files import store
from helpdesk.knowledge import indexing as knowledge
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob
from helpdesk.storage.table import Item, from_wire
from helpdesk.webhooks import service as webhooks
from scripts.seeding.memory_table import answering_now
from scripts.seeding.plan import BETWEEN_MS, TEAM, visitors
from scripts.seeding.simulate import Desk, session_of, simulate
from tests.support import effort, stand_in
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import issue_token, make_person

CONVERSATIONS = 5
GUIDE = "# Webhooks\n\nAn endpoint that answers 401 to a webhook checks the signature with another secret."
type Answer = dict[str, Any]


def comparable(answer: Answer) -> Answer:
    """Leave out what depends on the answerer; items of a batch come in any order, and numbers in any spelling."""
    found: Answer = {}
    for name in ("Item", "Attributes"):
        if name in answer:
            found[name] = from_wire(answer[name])
    if "Items" in answer:
        found["Items"] = [from_wire(item) for item in answer["Items"]]
    for items in answer.get("Responses", {}).values():
        found["Batch"] = sorted(
            (from_wire(item) for item in items), key=lambda item: (item["PK"], item["SK"])
        )
    return found


def outcome(call: Any, operation: str, request: Any) -> tuple[Answer, str, Any, ClientError | None]:
    try:
        answer = call(operation, request)
    except ClientError as error:
        reasons = error.response.get("CancellationReasons", [])
        found: Any = [(reason.get("Code"), reason.get("Item")) for reason in reasons]
        return {}, error.response["Error"]["Code"], (found, error.response.get("Item")), error
    return answer, "", None, None


@contextmanager
def compared_with_moto() -> Iterator[list[str]]:
    """Put every call to the table in memory and to moto, with the same items; collect the operations."""
    memory = answering_now()
    assert memory is not None
    client: Any = clients.dynamodb()
    moto: Any = Session().create_client("dynamodb", region_name=stand_in.REGION)
    for item in memory.items():
        moto.put_item(TableName=settings().table_name, Item=item)
    compared: list[str] = []

    def call(operation: str, request: Any) -> Answer:
        ours = outcome(memory.call, operation, request)
        theirs = outcome(moto._make_api_call, operation, request)
        assert comparable(ours[0]) == comparable(theirs[0]), (operation, request)
        assert ours[1:3] == theirs[1:3], (operation, request)
        goes_on = theirs[0].get("LastEvaluatedKey")
        assert goes_on is None or goes_on == ours[0].get("LastEvaluatedKey"), request
        compared.append(operation)
        if theirs[3] is not None:
            raise theirs[3]
        return theirs[0]

    client._make_api_call = call
    try:
        yield compared
        pages = moto.get_paginator("scan").paginate(TableName=settings().table_name)
        there = [from_wire(item) for page in pages for item in page["Items"]]
        assert sorted(there, key=place) == [from_wire(item) for item in stand_in.items()]
    finally:
        del client._make_api_call


def place(item: Item) -> tuple[str, str]:
    return item["PK"], item["SK"]


@pytest.fixture
def it(organization: NewOrganization, monkeypatch: pytest.MonkeyPatch) -> Iterator[Populated]:
    """A small populated organization."""
    monkeypatch.setattr(store, "put", lambda *_: None)
    now = Clock()
    owner = organization.organization_id
    api = Client(organization.secret_key)
    with clock.frozen(now):
        with now.at(NOW_MS - (CONVERSATIONS + 10) * BETWEEN_MS):
            team = [make_person(owner, role="member", name=f"Teammate {n}") for n in range(TEAM)]
            hook = {
                "url": "https://93.184.215.14/hook",
                "events": ["message.created", "conversation.created"],
            }
            for _ in range(2):
                api.post("/v1/webhooks", hook)
            for number in range(6):
                made = api.post("/v1/knowledge/documents", {"title": f"Guide {number}", "body": GUIDE}).body
                knowledge.index(owner, [made["id"]])
            add_rest(api, owner)
            for number in range(2):
                api.post("/v1/board/posts", {"boardId": "ideas", "title": f"Export {number}", "body": GUIDE})
                api.post("/v1/signals", {"kind": "bug", "title": f"Export {number}", "who": "Ada"})
                api.post("/v1/tasks", {"title": f"Export {number}"})
            before = sum(item["SK"] == "CONV" for item in whole_table.everything())
        members = [item for item in stand_in.items() if item["SK"]["S"].startswith("MEMBER#")]
        callers = [Caller(owner, person=Person(each, "Teammate", Role.MEMBER)) for each in team]
        desk = Desk(owner, members, callers, webhooks.listening(owner), "https://api.example.com", NOW_MS)
        first = None
        for visitor in visitors(CONVERSATIONS, desk.seed):
            for item in simulate(desk, visitor):
                clients.dynamodb().put_item(TableName=settings().table_name, Item=item)
            if first is None and len(visitor.conversations) == 1:
                first = session_of(visitor.number, desk.seed)
        found = [item["id"] for item in whole_table.everything() if item["SK"] == "CONV"]
        assert len(found) == before + CONVERSATIONS
        indexing.index(owner, [SearchJob(owner, each) for each in found])
        person = Client(issue_token(owner, role="owner", name="Olga"))
        yield Populated(api, person, owner, team, str(first), now, 0)


def test_every_call_is_answered_as_moto_answers_it(it: Populated) -> None:
    with compared_with_moto() as compared:
        for asked in list(reads(it))[:: effort.of(6, 1)]:
            asked.work()
        for work in (writes, following):
            for asked in work(it):
                it.clock.us += 1_000_000
                asked.work()

    assert {"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "TransactWriteItems"} <= set(
        compared
    )
    assert len(compared) > effort.of(100, 200)
