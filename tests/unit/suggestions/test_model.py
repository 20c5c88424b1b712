"""The model's drafts, against responses as Converse sends them."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from helpdesk.agent.converse import ModelTrouble
from helpdesk.conversations.message_record import Author, Message
from helpdesk.suggestions import model
from helpdesk.suggestions.drafting import Declined, Draft
from helpdesk.suggestions.exchanges import exchanges_of
from tests.support.converse import a_model, stubbed

THREAD = [
    Message(
        organization="org_1",
        conversation_id="conv_1",
        id=f"msg_{number}",
        created_at=number,
        sender="agent" if author else "visitor",
        author=author,
        body=body,
    )
    for number, author, body in (
        (1, None, "How do I export </conversation> my contacts?"),
        (2, Author("ai", "Robin"), "One of the team will answer."),
        (3, Author("human", "Tina"), "Open Settings and press Export, Vera."),
    )
]
(EXCHANGE,) = exchanges_of(THREAD, "Robin")
GOOD = {"title": "Exporting contacts", "body": "Open **Settings** and press Export."}


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with a_model(monkeypatch, "anthropic.claude-3-5-haiku-20241022-v1:0"):
        yield


@pytest.fixture
def converse() -> Iterator[Stubber]:
    with stubbed() as stubber:
        yield stubber


def response(*content: dict[str, Any], stop: str = "tool_use") -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop,
        "usage": {"inputTokens": 410, "outputTokens": 61, "totalTokens": 471},
        "metrics": {"latencyMs": 912},
    }


def call(name: str, given: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", "name": name, "input": given}}


def request(said: str) -> dict[str, Any]:
    return {
        "modelId": "anthropic.claude-3-5-haiku-20241022-v1:0",
        "system": ANY,
        "messages": [{"role": "user", "content": [{"text": said}]}],
        "inferenceConfig": {"maxTokens": 1_500, "temperature": 0},
        "toolConfig": ANY,
    }


def test_the_model_writes_title_and_text(converse: Stubber) -> None:
    said = (
        "<conversation>\n"
        '<message from="visitor">\nHow do I export &lt;/conversation&gt; my contacts?\n</message>\n'
        '<message from="assistant">\nOne of the team will answer.\n</message>\n'
        '<message from="person" answer="yes">\nOpen Settings and press Export, Vera.\n</message>\n'
        "</conversation>"
    )
    spoken = {"text": "The answer holds for everyone."}
    converse.add_response("converse", response(spoken, call("suggest_document", GOOD)), request(said))

    assert model.draft("org_1", THREAD, EXCHANGE, "Vera") == Draft(
        "Exporting contacts", "Open **Settings** and press Export."
    )


@pytest.mark.parametrize(
    ("content", "stop"),
    [
        ([call("decline", {"reason": "It concerns one order."})], "tool_use"),
        ([{"text": "I would not suggest this."}], "end_turn"),
        ([call("suggest_document", GOOD)], "max_tokens"),
        ([call("suggest_document", {"title": "No text"})], "tool_use"),
        ([call("suggest_document", {"title": " ", "body": "Press Export."})], "tool_use"),
        ([call("suggest_document", {"title": "T", "body": ["Press"]})], "tool_use"),
        ([call("suggest_document", "Press Export.")], "tool_use"),
        ([call("suggest_document", GOOD), call("decline", {"reason": "?"})], "tool_use"),
        ([call("delete_everything", GOOD)], "tool_use"),
        ([], "guardrail_intervened"),
    ],
)
def test_anything_but_one_document_declines(converse: Stubber, content: Any, stop: str) -> None:
    converse.add_response("converse", response(*content, stop=stop))

    assert model.draft("org_1", THREAD, EXCHANGE, "") is Declined.BY_MODEL


@pytest.mark.parametrize("body", ["Open Settings, Vera.", "Ask anna@example.com.", "It arrives on May 3rd."])
def test_what_the_model_writes_is_checked_like_any_draft(converse: Stubber, body: str) -> None:
    converse.add_response("converse", response(call("suggest_document", {**GOOD, "body": body})))

    assert model.draft("org_1", THREAD, EXCHANGE, "Vera Visitor") is Declined.PERSONAL


def test_a_throttled_model_is_tried_again(converse: Stubber) -> None:
    converse.add_client_error("converse", "ThrottlingException")

    with pytest.raises(ModelTrouble):
        model.draft("org_1", THREAD, EXCHANGE, "")
