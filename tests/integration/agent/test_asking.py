"""POST /v1/agent/test, and the sources that a thread shows."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import bedrock
from helpdesk.agent.answerer import Question, Reply
from helpdesk.agent.converse import ModelTrouble
from helpdesk.platform.settings import settings
from tests.integration.agent.conftest import REFUNDS, Desk
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.table import events


def ask(api: Client, question: str) -> dict[str, Any]:
    answer = api.post("/v1/agent/test", {"question": question})
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.body
    return found


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("AGENT_MODEL_ID", "anthropic.claude")
    settings.cache_clear()
    return monkeypatch


def test_an_answer_comes_with_its_passages(desk: Desk) -> None:
    document_id = desk.learn("Refunds", REFUNDS)

    found = ask(desk.api, "How long does a refund take?")

    assert (found["outcome"], found["reason"]) == ("answer", None)
    assert "The money is on your card after five working days." in found["body"]
    [passage] = found["passages"]
    assert passage["documentId"] == document_id
    assert (passage["title"], passage["heading"]) == ("Refunds", "How long does a refund take?")
    assert passage["text"] == "The money is on your card after five working days."
    assert 0.5 <= passage["score"] <= 1


def test_a_hand_off_says_why_and_still_shows_what_was_found(desk: Desk) -> None:
    desk.learn("Refunds", REFUNDS)

    found = ask(desk.api, "Do you sell umbrellas?")

    assert found["outcome"] == "hand_off"
    assert found["reason"] == "the knowledge base holds no passage that answers the question well enough"
    assert found["body"] == "I'm passing this to our team. Someone will answer you here as soon as possible."
    assert all(passage["score"] < 0.5 for passage in found["passages"])


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("I want to talk to a human", "the visitor asked for a person"),
        ("How long does a refund take?", "the knowledge base holds no document that is ready"),
    ],
)
def test_other_reasons_are_those_of_a_conversation(desk: Desk, question: str, reason: str) -> None:
    assert ask(desk.api, question)["reason"] == reason


def test_a_test_writes_nothing(desk: Desk) -> None:
    desk.learn("Refunds", REFUNDS)
    ask(desk.api, "How long does a refund take?")

    with recorded_calls() as calls:
        ask(desk.api, "How long does a refund take?")

    # The first is admission, which takes one from the allowance.
    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:Query", "s3:GetObject"]


@pytest.mark.parametrize("question", ["", "   ", "x" * 4_001])
def test_an_empty_or_long_question_is_refused(desk: Desk, question: str) -> None:
    answer = desk.api.post("/v1/agent/test", {"question": question})

    assert (answer.status, answer.body["error"]["code"]) == (400, "invalid_request")
    assert "question" in answer.body["error"]["message"]


def test_documents_of_another_organization_are_not_found(
    desk: Desk, other_organization: NewOrganization
) -> None:
    desk.learn("Refunds", REFUNDS)

    found = ask(Client(other_organization.secret_key), "How long does a refund take?")

    assert found["passages"] == []


def test_a_model_answers_if_one_is_set(desk: Desk, model: pytest.MonkeyPatch) -> None:
    desk.learn("Refunds", REFUNDS)
    asked: list[Question] = []

    def answer(question: Question) -> Reply:
        asked.append(question)
        return Reply("Five days.")

    model.setattr(bedrock, "answer", answer)

    assert ask(desk.api, "How long does a refund take?")["body"] == "Five days."
    [question] = asked
    assert [(turn.by_visitor, turn.text) for turn in question.thread] == [
        (True, "How long does a refund take?")
    ]


def test_a_model_that_does_not_answer_is_a_hand_off(desk: Desk, model: pytest.MonkeyPatch) -> None:
    desk.learn("Refunds", REFUNDS)

    def fail(_: Question) -> Reply:
        raise ModelTrouble

    model.setattr(bedrock, "answer", fail)

    assert ask(desk.api, "How long does a refund take?")["reason"] == "the model could not be reached"


def test_an_answer_in_a_thread_names_its_sources_to_the_team_alone(desk: Desk) -> None:
    document_id = desk.learn("Refunds", REFUNDS)
    job = desk.write("How long does a refund take?")

    assert desk.work(job) == []

    question, answer = desk.thread(job["conversationId"])
    assert question["sources"] == []
    assert answer["sources"] == [
        {
            "documentId": document_id,
            "version": 1,
            "title": "Refunds",
            "heading": "How long does a refund take?",
            "url": None,
        }
    ]
    [shown] = desk.api.get(f"/v1/messages?session=session-of-vera&after={job['messageId']}").body[
        "conversations"
    ]
    assert [message["body"] for message in shown["messages"]] == [answer["body"]]
    assert "sources" not in str(shown)
    sent = events()
    assert len(sent) == 3
    assert "sources" not in str(sent)


def test_a_hand_off_has_no_sources(desk: Desk) -> None:
    desk.learn("Refunds", REFUNDS)
    job = desk.write("Do you sell umbrellas?")

    desk.work(job)

    assert all(entry["sources"] == [] for entry in desk.thread(job["conversationId"]))
