"""Customers, lists of conversations and outreach on the deployed stack, under the functions' own policies."""

import time
from collections.abc import Mapping
from typing import Any

import pytest

from tests.e2e.test_people_local import mails_to
from tests.support.web import Web, eventually


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    """The API as the demo organization's secret key sees it."""
    return Web(stack["base_url"], stack["secret_key"])


def visit(api: Web, session: str, body: str, **user: Any) -> tuple[str, str]:
    """Let a visitor write; return the ids of the conversation and the customer."""
    sent = api.post("/v1/messages", {"session": session, "body": body, "user": user})
    assert sent.status == 200, sent
    read = api.get(f"/v1/conversations/{sent.body['conversationId']}").body
    return sent.body["conversationId"], read["conversation"]["customer"]["id"]


def listed(api: Web, parameters: str) -> list[str]:
    answer = api.get(f"/v1/conversations?{parameters}")
    assert answer.status == 200, answer
    return [one["id"] for one in answer.body["conversations"]]


def test_a_customer_is_looked_up_noted_on_and_written_to_by_mail(api: Web, stack: Mapping[str, str]) -> None:
    number = time.time_ns()
    word, address = f"zebra{number}", f"vera-{number}@example.com"
    session = f"session-{number}"
    before, customer = visit(api, session, f"Where is my {word}?", name=f"Vera {word}", email=address)
    assert api.post(f"/v1/conversations/{before}/archive").status == 200

    found = eventually(lambda: api.get(f"/v1/customers?q={word}").body["customers"])
    assert [one["id"] for one in found] == [customer]
    assert [one["id"] for one in api.get(f"/v1/customers?q={address}").body["customers"]] == [customer]
    assert customer in [one["id"] for one in api.get("/v1/customers?limit=5").body["customers"]]

    member = Web(stack["base_url"], stack["member_token"])
    fact = member.post(f"/v1/customers/{customer}/facts", {"text": "Runs two shops."}).body["id"]
    assert [one["id"] for one in api.get(f"/v1/customers/{customer}").body["facts"]] == [fact]
    assert api.delete(f"/v1/customers/{customer}/facts/{fact}").status == 200

    file = api.post("/v1/uploads", {"name": "refund.txt", "type": "text/plain", "size": 4})
    assert file.status == 200
    written = member.post(f"/v1/customers/{customer}/messages", {"body": f"Your {word} is on its way."})
    assert written.status == 200, written
    started = written.body["conversationId"]
    assert started != before

    (mail,) = eventually(lambda: mails_to(stack, address))
    assert mail["Source"].endswith("<helpdesk@example.com>")
    assert mail["Subject"].startswith("A message from ")
    assert f"Your {word} is on its way." in mail["BodyText"]
    history = api.get(f"/v1/messages?session={session}").body["conversations"]
    assert started in [one["id"] for one in history]
    time.sleep(2)
    assert len(mails_to(stack, address)) == 1


def test_conversations_are_found_by_words_and_every_filter(api: Web, stack: Mapping[str, str]) -> None:
    number = time.time_ns()
    word = f"giraffe{number}"
    member = Web(stack["base_url"], stack["member_token"])
    me = member.get("/v1/me").body["user"]["id"]
    one, customer = visit(api, f"one-{number}", f"The first {word}")
    other, _ = visit(api, f"other-{number}", f"The second {word}")
    assert member.post(f"/v1/conversations/{one}/assign", {"userId": me}).status == 200
    assert member.post(f"/v1/conversations/{one}/take-over").status == 200
    assert api.post(f"/v1/conversations/{other}/archive").status == 200

    words = f"q={word}"
    assert eventually(
        lambda: len(listed(api, words)) == 1 and len(listed(api, f"{words}&archived=true")) == 1
    )
    assert listed(api, words) == [one]
    assert listed(api, f"{words}&archived=true") == [other]
    assert listed(api, f"{words}&assignee={me}&status=open") == [one]
    assert listed(api, f"{words}&assignee=none") == []
    assert listed(member, "assignee=me&limit=1") == [one]
    assert one in listed(api, "awaitingHuman=true")
    assert listed(api, f"customerId={customer}&assignee={me}&snoozed=false") == [one]
    assert listed(api, f"customerId={customer}&snoozed=true") == []
    assert other not in listed(api, "limit=200")
    assert listed(api, "archived=true&limit=1") == [other]
    assert api.get("/v1/conversations?awaitingHuman=maybe").code == "invalid_request"
