"""What a teammate answers becomes a suggestion and, once accepted, the agent's answer: on the deployed local stack."""

import secrets
import string
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.support.receiver import Receiver
from tests.support.web import Web, eventually

ANSWER = "Boil one part of vinegar with two parts of water in it, wait ten minutes, and rinse it twice."


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    """The API as the demo organization's key sees it; what a test adds is gone after it."""
    web = Web(stack["base_url"], stack["secret_key"])
    yield web
    for webhook in web.get("/v1/webhooks").body["webhooks"]:
        web.delete(f"/v1/webhooks/{webhook['id']}")
    for document in web.get("/v1/knowledge/documents?source=suggestion").body["documents"]:
        web.delete(f"/v1/knowledge/documents/{document['id']}")


def agents_words(api: Web, conversation: str) -> str:
    """Return what the agent answered in a conversation, once it did."""

    def look() -> str | None:
        messages = api.get(f"/v1/conversations/{conversation}").body["messages"]
        return next((one["body"] for one in messages if (one["agent"] or {}).get("kind") == "ai"), None)

    return eventually(look)


def ask(api: Web, question: str) -> str:
    asked = api.post("/v1/messages", {"session": f"visitor-{uuid.uuid4()}", "body": question})
    assert asked.status == 200, asked
    return str(asked.body["conversationId"])


def test_what_a_teammate_answered_answers_the_next_visitor(api: Web, stack: Mapping[str, str]) -> None:
    # A product that no document and no earlier run of this test knows.
    product = "".join(secrets.choice(string.ascii_lowercase) for _ in range(9)).capitalize()
    question = f"How do I descale the {product} kettle?"
    with Receiver() as receiver:
        listening = api.post(
            "/v1/webhooks", {"url": receiver.url, "events": ["knowledge.suggestion.created"]}
        )
        assert listening.status == 200, listening
        conversation = ask(api, question)
        assert ANSWER not in agents_words(api, conversation)
        replied = api.post(
            f"/v1/conversations/{conversation}/reply", {"body": f"Hello!\n\n{ANSWER}\n\nBest regards, Tina"}
        )
        assert replied.status == 200, replied
        assert api.post(f"/v1/conversations/{conversation}/resolve", {}).status == 200

        def delivered() -> dict[str, Any] | None:
            events = [each.verified(stack["secret_key"]) for each in list(receiver.received)]
            found = [event["data"]["suggestion"] for event in events]
            return next((each for each in found if each["conversationId"] == conversation), None)

        event = eventually(delivered)
    assert (event["title"], event["body"], event["targetDocId"]) == (question, ANSWER, None)
    path = f"/v1/knowledge/suggestions/{event['id']}"
    assert api.get(path).body["suggestion"]["status"] == "pending"

    accepted = api.post(f"{path}/accept", {})
    assert accepted.status == 200, accepted
    document = f"/v1/knowledge/documents/{accepted.body['suggestion']['documentId']}"
    eventually(lambda: api.get(document).body["document"]["status"] == "ready" or None)

    assert ANSWER in agents_words(api, ask(api, question))
    # It is asked again after 5, 20 and 60 s while the index is older than the document.
    answers_now = eventually(lambda: api.get(path).body["suggestion"]["answersNow"], seconds=120)
    assert answers_now == {"answered": 1, "of": 1}
