"""Export of a customer's data, and the calls of the privacy routes."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.http import pages
from helpdesk.platform import clock
from helpdesk.privacy import erasing, retention
from helpdesk.search import service as search
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls

USER = {"name": "Vera", "email": "vera@example.com", "metadata": {"plan": "pro"}}


def written(api: Client, *bodies: str, session: str = "session-of-vera") -> tuple[str, str]:
    """Write a visitor's messages in one conversation; return the ids of the conversation and the customer."""
    sent = [api.post("/v1/messages", {"session": session, "body": body, "user": USER}) for body in bodies]
    conversation = str(sent[-1].body["conversationId"])
    return conversation, str(
        api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    )


def exported(api: Client, customer: str, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        behind = f"&cursor={cursor}" if cursor else ""
        answer = api.get(f"/v1/customers/{customer}/export?limit={limit}{behind}")
        assert answer.status == 200, answer.body
        found.append(answer.body)
        cursor = answer.body["nextCursor"]
    return found


@pytest.mark.usefixtures("ticking")
def test_an_export_contains_all_data_of_the_customer(api: Client, member: Client) -> None:
    file = api.request("POST", "/v1/uploads?name=photo.txt", "bytes", **{"content-type": "text/plain"}).body
    attached = {"id": file["id"], "name": "photo.txt"}
    first, customer = written(api, "One")
    api.post("/v1/messages", {"session": "session-of-vera", "body": "Two", "attachments": [attached]})
    member.post(f"/v1/conversations/{first}/note", {"body": "A note of the team"})
    api.post(f"/v1/customers/{customer}/facts", {"text": "Older"})
    api.post(f"/v1/customers/{customer}/facts", {"text": "Newer"})
    member.post(f"/v1/conversations/{first}/resolve")
    rating = {"session": "session-of-vera", "conversationId": first, "stars": 2, "note": "Too slow"}
    assert api.post("/v1/messages/rating", rating).status == 200
    second, _ = written(api, "Three")
    member.post(f"/v1/conversations/{second}/archive")

    [page] = exported(api, customer, 200)
    assert page["customer"] == api.get(f"/v1/customers/{customer}").body["customer"]
    assert page["customer"]["metadata"] == {"plan": "pro"}
    assert [fact["text"] for fact in page["facts"]] == ["Older", "Newer"]
    one, two = page["conversations"]
    assert one["conversation"] == api.get(f"/v1/conversations/{first}").body["conversation"]
    assert [(entry["kind"], entry["body"]) for entry in one["messages"]] == [
        ("message", "One"),
        ("message", "Two"),
        ("note", "A note of the team"),
        ("system", "Max Member resolved this conversation."),
        ("system", "The visitor rated this conversation 2 of 5 stars: Too slow"),
    ]
    assert one["messages"][1]["attachments"][0]["url"] == file["url"]
    assert [(given["stars"], given["note"]) for given in one["ratings"]] == [(2, "Too slow")]
    assert [entry["body"] for entry in two["messages"]] == [
        "Three",
        "Max Member archived this conversation.",
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_of_any_size_contain_everything_once_and_in_order(
    api: Client, member: Client, limit: int
) -> None:
    customer = ""
    expected: list[str] = []
    for number in range(3):
        conversation, customer = written(api, f"{number}a", f"{number}b")
        api.post(f"/v1/conversations/{conversation}/note", {"body": f"{number}note"})
        member.post(f"/v1/conversations/{conversation}/resolve")
        expected += [f"{number}a", f"{number}b", f"{number}note", "Max Member resolved this conversation."]
    for number in range(3):
        api.post(f"/v1/customers/{customer}/facts", {"text": f"fact {number}"})
    found = exported(api, customer, limit)

    assert [page["customer"] is not None for page in found] == [True] + [False] * (len(found) - 1)
    assert [fact["text"] for page in found for fact in page["facts"]] == ["fact 0", "fact 1", "fact 2"]
    bodies = [entry["body"] for page in found for part in page["conversations"] for entry in part["messages"]]
    assert bodies == expected
    assert all(
        len(page["facts"]) + sum(len(part["messages"]) for part in page["conversations"]) <= limit
        for page in found
    )


def test_a_page_ends_before_it_exceeds_the_response_limit(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, customer = written(api, *("x" * 4_000 for _ in range(10)))
    monkeypatch.setattr(pages, "MAX_LISTED_BYTES", 15_000)
    found = exported(api, customer, 200)
    assert [len(page["conversations"][0]["messages"]) for page in found] == [3, 3, 3, 1]


def test_a_cursor_works_only_for_its_customer(api: Client, stranger: Client) -> None:
    _, vera = written(api, "One", "Two")
    _, otto = written(api, "One", "Two", session="session-of-otto")
    cursor = api.get(f"/v1/customers/{vera}/export?limit=1").body["nextCursor"]
    assert api.get(f"/v1/customers/{otto}/export?limit=1&cursor={cursor}").code == "invalid_cursor"
    assert stranger.get(f"/v1/customers/{vera}/export").code == "customer_not_found"
    assert api.get("/v1/customers/cus_none/export").code == "customer_not_found"


def test_the_calls_of_an_erasure(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[Any] = []
    monkeypatch.setattr(search, "forget", lambda *words: forgotten.append(words))
    conversation, customer = written(api, "One", "Two")
    receipt = api.delete(f"/v1/customers/{customer}").body["receipt"]["id"]
    with recorded_calls() as calls:
        erasing.erase_customer(organization.organization_id, receipt, clock.now_ms() + 60_000)
    look = ["dynamodb:Query", "dynamodb:Query"]
    assert calls == [
        *["dynamodb:GetItem"] * 2,
        *look,  # the reports of signals, the posts, votes and comments
        *look,
        "dynamodb:BatchGetItem",
        "dynamodb:UpdateItem",  # the mark
        *look,  # the threads in Slack, the places in Discord
        "dynamodb:Query",  # the questions in suggestions
        *look,  # the approvals, the agent's runs
        "dynamodb:Query",  # the thread, the endpoints
        "dynamodb:Query",
        "dynamodb:BatchWriteItem",
        "dynamodb:BatchWriteItem",  # their rows of analytics
        "dynamodb:TransactWriteItems",
        "dynamodb:Query",
        "dynamodb:BatchWriteItem",  # the conversation's row
        "dynamodb:TransactWriteItems",  # the conversation
        *look,  # nothing came meanwhile
        "dynamodb:Query",  # facts
        "dynamodb:BatchWriteItem",  # the customer's row
        "dynamodb:TransactWriteItems",
    ]
    assert forgotten == [(organization.organization_id, [customer], [conversation])]


def test_the_calls_of_a_retention_run(api: Client, organization: NewOrganization) -> None:
    home = organization.organization_id
    with recorded_calls() as nobody:
        assert retention.start_daily_jobs(clock.now_ms() + 60_000) == 0
    assert nobody == ["dynamodb:Query"] * 16
    assert api.patch("/v1/organization", {"retentionDays": 30}).status == 200
    with recorded_calls() as begun:
        assert retention.start_daily_jobs(clock.now_ms() + 60_000) == 1
    assert sorted(begun) == ["dynamodb:Query"] * 16 + ["dynamodb:TransactWriteItems"]
    [erasure] = whole_table.of_kind("ERASURE")
    with recorded_calls() as idle:
        retention.apply(home, erasure["id"], clock.now_ms() + 60_000)
    look = ["dynamodb:GetItem"] * 2 + ["dynamodb:Query"] * 5
    assert idle == [*look, "dynamodb:GetItem", "dynamodb:TransactWriteItems"]
