"""A visitor writes, the agent answers, the customer's server gets the events: over HTTP, on the deployed local
stack."""

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import stripe

from helpdesk_webhooks import webhook_secret
from tests.support.receiver import Received, Receiver
from tests.support.web import Web, eventually

EVENTS = ["message.created", "conversation.created", "conversation.updated"]


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    """The API as the demo organization's key sees it; endpoints that a test adds are gone after it."""
    web = Web(stack["base_url"], stack["secret_key"])
    yield web
    for webhook in web.get("/v1/webhooks").body["webhooks"]:
        web.delete(f"/v1/webhooks/{webhook['id']}")


def listen(api: Web, receiver: Receiver, events: list[str] | None = None) -> str:
    answer = api.post("/v1/webhooks", {"url": receiver.url, "events": events or EVENTS})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def write(api: Web, text: str, session: str | None = None) -> dict[str, Any]:
    answer = api.post("/v1/messages", {"session": session or f"visitor-{uuid.uuid4()}", "body": text})
    assert answer.status == 200, answer
    return dict(answer.body)


def events_in(received: list[Received]) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in received]


def messages_of(api: Web, conversation_id: str) -> list[dict[str, Any]]:
    return list(api.get(f"/v1/conversations/{conversation_id}").body["messages"])


def agents_answer(api: Web, conversation_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        written = [m for m in messages_of(api, conversation_id) if m["sender"] == "agent" and m["agent"]]
        return written[0] if written else None

    return eventually(look)


def test_a_first_message_is_answered_from_the_right_document_and_each_event_arrives_once(
    api: Web, stack: Mapping[str, str]
) -> None:
    with Receiver() as receiver:
        listen(api, receiver)
        accepted = write(api, "How do I verify the signature of a webhook?")

        def events_of_message() -> list[dict[str, Any]] | None:
            # Other tests' conversations may still be answered meanwhile.
            events = [request.verified(stack["secret_key"]) for request in list(receiver.received)]
            own = [e for e in events if e["data"]["conversation"]["id"] == accepted["conversationId"]]
            return own if len(own) >= 3 else None

        agents_answer(api, accepted["conversationId"])
        events = eventually(events_of_message)
        assert len({event["id"] for event in events}) == 3
        by_sender = {(e["type"], e["data"].get("message", {}).get("sender")): e for e in events}
        assert set(by_sender) == {
            ("conversation.created", None),
            ("message.created", "visitor"),
            ("message.created", "agent"),
        }
        visitor = by_sender["message.created", "visitor"]["data"]
        assert visitor["message"]["id"] == accepted["messageId"]
        assert visitor["message"]["body"] == "How do I verify the signature of a webhook?"
        assert visitor["message"]["agent"] is None
        assert visitor["conversation"] == {
            "id": accepted["conversationId"],
            "status": "open",
            "awaitingHuman": False,
        }
        answer = by_sender["message.created", "agent"]["data"]["message"]
        assert answer["agent"] == {"kind": "ai", "name": "Assistant", "avatarUrl": None}
        assert "signature" in answer["body"].lower()
        documents = {d["title"] for d in api.get("/v1/knowledge/documents?limit=200").body["documents"]}
        quoted = {title for title in documents if title in answer["body"]}
        assert any("signature" in title.lower() for title in quoted), answer["body"]


def test_stripes_verifier_accepts_our_signature_with_its_tolerance_off(
    api: Web, stack: Mapping[str, str]
) -> None:
    with Receiver() as receiver:
        listen(api, receiver, ["message.created"])
        write(api, "Hello, is anybody there?")
        request = receiver.wait_for(1)[0]
        secret = webhook_secret(stack["secret_key"])
        header = request.headers["svc-signature"]
        assert stripe.WebhookSignature.verify_header(request.body.decode(), header, secret, tolerance=None)
        assert request.headers["portal-signature"] == header
        assert request.headers["content-type"] == "application/json"


def test_a_receiver_that_fails_four_times_gets_five_equal_attempts_and_ends_as_delivered(
    api: Web, stack: Mapping[str, str]
) -> None:
    with Receiver(answer=lambda attempt: 500 if attempt < 5 else 200) as receiver:
        endpoint_id = listen(api, receiver, ["conversation.created"])
        write(api, "Hello")
        eventually(lambda: status_of(api, endpoint_id)["status"] == "failing")
        requests = receiver.wait_for(5)
        assert len({request.body for request in requests}) == 1
        assert len({request.verified(stack["secret_key"])["id"] for request in requests}) == 1
        assert len({request.headers["svc-signature"] for request in requests}) == 5
        eventually(lambda: status_of(api, endpoint_id)["status"] == "delivered")
        assert status_of(api, endpoint_id)["failingSince"] is None
        kinds = [
            entry["kind"]
            for entry in api.get("/v1/logs").body["logs"]
            if entry["detail"].get("endpointId") == endpoint_id
        ]
        assert kinds == ["webhook_answering_again", "webhook_stopped_answering", "webhook_created"]


def test_an_endpoint_that_is_removed_gets_no_further_attempt(api: Web) -> None:
    with Receiver(answer=lambda _: 500) as receiver:
        endpoint_id = listen(api, receiver, ["conversation.created"])
        write(api, "Hello")
        receiver.wait_for(1)
        assert api.delete(f"/v1/webhooks/{endpoint_id}").status == 200
        before = len(receiver.received)
        with pytest.raises(AssertionError, match="requests came"):
            receiver.wait_for(before + 2, seconds=6)


def test_the_agent_hands_over_an_unanswerable_question_and_then_stays_silent(api: Web) -> None:
    with Receiver() as receiver:
        listen(api, receiver)
        session = f"visitor-{uuid.uuid4()}"
        accepted = write(api, "Which wine goes with roast pheasant on Tuesdays?", session)
        conversation_id = accepted["conversationId"]
        requests = receiver.wait_for(4)
        kinds = sorted(event["type"] for event in events_in(requests))
        assert kinds == ["conversation.created", "conversation.updated", "message.created", "message.created"]
        shown = api.get(f"/v1/conversations/{conversation_id}").body["conversation"]
        assert (shown["handledBy"], shown["awaitingHuman"]) == ("team", True)
        write(api, "How do I verify the signature of a webhook?", session)
        receiver.wait_for(5)
        with pytest.raises(AssertionError, match="5 of 6"):
            receiver.wait_for(6, seconds=5)


def test_a_person_takes_over_answers_resolves_and_reopens(api: Web) -> None:
    with Receiver() as receiver:
        conversation_id = write(api, "How do rate limits work?")["conversationId"]
        agents_answer(api, conversation_id)
        listen(api, receiver)
        path = f"/v1/conversations/{conversation_id}"
        assert api.post(f"{path}/take-over").body == {"ok": True}
        assert api.post(f"{path}/take-over").body == {"ok": True}
        receiver.wait_for(1)
        assert api.post(f"{path}/reply", {"body": "A person here."}).status == 200
        receiver.wait_for(2)
        assert api.post(f"{path}/resolve").body == {"ok": True}
        receiver.wait_for(3)
        answer = api.post(f"{path}/reply", {"body": "One more thing.", "reopen": True})
        assert answer.body["conversation"] == {
            "id": conversation_id,
            "status": "open",
            "awaitingHuman": False,
        }
        receiver.wait_for(4)
        with pytest.raises(AssertionError, match="4 of 5"):
            receiver.wait_for(5, seconds=3)
        events = sorted(events_in(receiver.received), key=lambda event: event["createdAt"])
        assert [event["type"] for event in events] == [
            "conversation.updated",
            "message.created",
            "conversation.updated",
            "message.created",
        ]
        assert [event["data"]["conversation"]["status"] for event in events] == [
            "open",
            "open",
            "resolved",
            "open",
        ]
        assert events[1]["data"]["message"]["agent"]["kind"] == "human"


def test_a_new_document_becomes_ready_and_the_agent_answers_from_it(api: Web) -> None:
    document = {
        "title": "Opening hours of the Zanzibar office",
        "body": "# Opening hours\n\nThe Zanzibar office opens at seven and closes at three in the afternoon.",
    }
    document_id = api.post("/v1/knowledge/documents", document).body["id"]
    eventually(
        lambda: api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["status"] == "ready"
    )
    conversation_id = write(api, "When does the Zanzibar office open?")["conversationId"]
    answer = agents_answer(api, conversation_id)
    assert "seven" in answer["body"]
    assert "Opening hours of the Zanzibar office" in answer["body"]


def test_another_organizations_conversation_is_not_found(api: Web, stack: Mapping[str, str]) -> None:
    conversation_id = write(api, "Hello")["conversationId"]
    other = Web(stack["base_url"], "svc_key_" + "0" * 26 + "_" + "a" * 43)
    assert other.get(f"/v1/conversations/{conversation_id}").code == "invalid_api_key"


@pytest.mark.parametrize("body", ["{", "[]", '"text"', "\\"])
def test_a_body_other_than_a_json_object_is_refused(api: Web, body: str) -> None:
    answer = api.request("POST", "/v1/messages", body)
    assert (answer.status, answer.code) == (400, "invalid_json")


def status_of(api: Web, endpoint_id: str) -> dict[str, Any]:
    return next(w for w in api.get("/v1/webhooks").body["webhooks"] if w["id"] == endpoint_id)
