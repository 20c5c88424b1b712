"""Reading the inbox: lists, pages, one conversation with its thread, and what other organizations see of it."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.integration.conversations.conftest import START_MS, At
from tests.support.api import Client
from tests.support.aws import recorded_calls


def write(api: Client, session: str, body: str = "Hello", **more: Any) -> str:
    """Post a visitor's message; return the conversation's id."""
    answer = api.post("/v1/messages", {"session": f"session-{session}", "body": body, **more})
    assert answer.status == 200, answer
    return str(answer.body["conversationId"])


def ids_in(answer: Any) -> list[str]:
    return [conversation["id"] for conversation in answer.body["conversations"]]


def pages(api: Client, url: str) -> list[list[str]]:
    """Follow the cursors and return the ids of each page."""
    found, cursor = [], ""
    while True:
        answer = api.get(url + (f"&cursor={quote(cursor)}" if cursor else ""))
        assert answer.status == 200, answer
        found.append(ids_in(answer))
        cursor = answer.body["nextCursor"]
        if cursor is None:
            return found


def test_a_conversation_is_shown_with_all_its_fields(api: Client, at: At) -> None:
    with at(0):
        conversation_id = write(
            api,
            "shown",
            "Where is my order?\nI have waited long.",
            user={
                "name": "Vera Visitor",
                "email": "vera@example.com",
                "avatarUrl": "https://example.com/v.png",
            },
            context={"timeZone": "Europe/Berlin", "device": "mobile"},
            page={"url": "https://example.com/orders?token=secret", "title": "Orders"},
        )
    with at(5):
        answer = api.get(f"/v1/conversations/{conversation_id}")

    conversation = answer.body["conversation"]
    customer_id = conversation["customer"].pop("id")
    assert customer_id.startswith("cus_")
    assert conversation == {
        "id": conversation_id,
        "subject": "Where is my order?",
        "status": "open",
        "awaitingHuman": False,
        "pendingApprovals": 0,
        "channel": "api",
        "handledBy": "agent",
        "assignee": None,
        "team": None,
        "customer": {
            "name": "Vera Visitor",
            "email": "vera@example.com",
            "avatarUrl": "https://example.com/v.png",
        },
        "page": {"url": "https://example.com/orders", "title": "Orders", "referrer": None},
        "context": {
            "timeZone": "Europe/Berlin",
            "locale": None,
            "browser": None,
            "os": None,
            "screen": None,
            "device": "mobile",
        },
        "startedAt": START_MS,
        "lastMessageAt": START_MS,
        "lastMessageId": answer.body["messages"][0]["id"],
        "waitingSince": None,
        "dueAt": None,
        "overdue": False,
        "unread": False,
        "snoozedUntil": None,
        "archivedAt": None,
        "rating": None,
        "tags": [],
        "mergedInto": None,
    }
    (message,) = answer.body["messages"]
    assert message.pop("id").startswith("msg_")
    assert message == {
        "kind": "message",
        "conversationId": conversation_id,
        "createdAt": START_MS,
        "sender": "visitor",
        "agent": None,
        "body": "Where is my order?\nI have waited long.",
        "attachments": [],
        "sources": [],
        "found": [],
        "mail": None,
        "mailed": None,
    }
    assert answer.body["nextCursor"] is None


def test_a_list_shows_a_conversation_as_its_own_route_does(api: Client) -> None:
    conversation_id = write(api, "same", user={"name": "Vera"})

    (listed,) = api.get("/v1/conversations").body["conversations"]

    assert listed == api.get(f"/v1/conversations/{conversation_id}").body["conversation"]


@pytest.fixture
def inbox(api: Client, at: At) -> list[str]:
    """Seven conversations, 0 the first; 1, 3 and 5 are resolved; then 2 is written to once more."""
    made = []
    for number in range(7):
        with at(number * 10):
            made.append(write(api, f"number-{number}"))
    for number in (1, 3, 5):
        with at(100 + number):
            api.post(f"/v1/conversations/{made[number]}/resolve")
    with at(200):
        write(api, "number-2")
    return made


def test_a_customers_list_holds_theirs_alone_newest_first(api: Client, inbox: list[str], at: At) -> None:
    conversation = api.get(f"/v1/conversations/{inbox[1]}").body["conversation"]
    with at(300):
        another = write(api, "number-1", "Once more")  # the first is resolved, so this starts another

    customer_id = conversation["customer"]["id"]
    assert pages(api, f"/v1/conversations?customerId={customer_id}&limit=1")[:2] == [[another], [inbox[1]]]
    assert ids_in(api.get(f"/v1/conversations?customerId={customer_id}&status=open")) == [another]
    assert ids_in(api.get(f"/v1/conversations?customerId={customer_id}&status=resolved")) == [inbox[1]]


def test_a_conversation_that_becomes_active_while_paging_is_not_lost_to_later_pages(
    api: Client, inbox: list[str], at: At
) -> None:
    first = api.get("/v1/conversations?limit=3").body
    with at(400):
        write(api, "number-6", "I am back")
    rest = api.get(f"/v1/conversations?limit=100&cursor={first['nextCursor']}")

    assert ids_in(rest) == [inbox[number] for number in (4, 3, 1, 0)]


def test_no_query_is_made_for_a_customer_id_longer_than_a_key(api: Client) -> None:
    # DynamoDB refuses a partition key over 2,048 bytes; the emulator does not.
    with recorded_calls() as calls:
        api.get(f"/v1/conversations?customerId={'x' * 3_000}")

    assert calls == ["dynamodb:UpdateItem"]
