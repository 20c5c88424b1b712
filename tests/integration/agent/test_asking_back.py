"""The agent asks once which of two pages a visitor means, where one of them answers and it cannot tell which."""

from typing import Any

import pytest

from helpdesk.agent import bedrock, embedded
from helpdesk.agent.answerer import HandOff, Question
from helpdesk.agent.reasons import Reason
from helpdesk.platform.settings import settings
from tests.integration.agent.conftest import Desk
from tests.support.aws import recorded_calls

CARD = "# Refunds by card\n\n## How long does a refund take?\n\nA refund to a card takes five working days.\n"
BANK = (
    "# Refunds by bank transfer\n\n## How long does a refund take?\n\nA refund to a bank takes two weeks.\n"
)
QUESTION = "How many days until my refund arrives?"
ASKED = "Do you mean **Refunds by bank transfer** or [Refunds by card](https://docs.example/card)?"


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A desk with two documents that both fit the question."""
    card = desk.learn("Refunds by card", CARD)
    desk.learn("Refunds by bank transfer", BANK)
    desk.learn("Colours", "We paint in red and blue.")
    desk.api.patch(f"/v1/knowledge/documents/{card}", {"url": "https://docs.example/card"})
    return desk


def write(desk: Desk, *bodies: str, session: str = "session-of-vera") -> list[dict[str, Any]]:
    """Let the visitor write and the agent answer, one after the other; return the thread."""
    job: dict[str, str] = {}
    for body in bodies:
        job = desk.write(body, session)
        assert desk.work(job) == []
    return desk.thread(job["conversationId"])


def last(thread: list[dict[str, Any]]) -> str:
    """Return the newest message of the agent."""
    return str([each["body"] for each in thread if each["kind"] == "message" and each["agent"]][-1])


def test_the_agent_asks_which_of_two_close_documents_is_meant(two: Desk) -> None:
    thread = write(two, QUESTION)

    assert last(thread) == ASKED
    assert [page["title"] for page in thread[-1]["found"]] == ["Refunds by bank transfer", "Refunds by card"]
    conversation = two.conversation(thread[0]["conversationId"])
    assert (conversation["handledBy"], conversation["awaitingHuman"]) == ("agent", False)


@pytest.mark.parametrize("reply", ["the second", "Refunds by card", "card"])
def test_a_reply_that_names_one_is_answered_from_it(two: Desk, reply: str) -> None:
    assert "A refund to a card takes five working days." in last(write(two, QUESTION, reply))


def test_any_other_reply_is_searched_together_with_the_question_and_nothing_is_asked_again(two: Desk) -> None:
    seen: list[Question] = []

    def heard(asked: Question) -> HandOff:
        seen.append(asked)
        return HandOff(Reason.NOTHING_FOUND)

    thread = write(two, QUESTION)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "answer", heard)
        thread = write(two, "I paid with PayPal")

    [asked] = seen
    assert asked.text == f"{QUESTION}\n\nI paid with PayPal"
    assert not asked.may_ask_back
    assert [page["title"] for page in thread[-1]["found"]][:1] == ["Refunds by bank transfer"]


def test_the_agent_asks_once_in_a_conversation_until_a_person_wrote(two: Desk) -> None:
    thread = write(two, QUESTION, "the first", QUESTION)
    assert "I'm passing this to our team" in last(thread)

    conversation = thread[0]["conversationId"]
    two.api.post(f"/v1/conversations/{conversation}/reply", {"body": "Here I am."})
    two.move(conversation, "hand-back")
    assert last(write(two, QUESTION)) == ASKED


def test_a_visitor_who_asks_for_a_person_in_reply_gets_one(two: Desk) -> None:
    assert "I'm passing this to our team" in last(write(two, QUESTION, "I want to talk to a human"))


def test_a_page_that_is_deleted_meanwhile_is_not_asked_about(two: Desk) -> None:
    thread = write(two, QUESTION)
    two.api.delete(f"/v1/knowledge/documents/{thread[-1]['found'][1]['documentId']}")

    assert "I'm passing this to our team" in last(write(two, "the second"))


def test_a_repeated_job_asks_once(two: Desk) -> None:
    job = two.write(QUESTION)

    assert two.work(job, job) == two.work(job) == []

    assert two.answers(job["conversationId"]) == [ASKED]


def test_a_model_is_never_replaced_by_a_question_back(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_MODEL_ID", "anthropic.claude")
    settings.cache_clear()
    monkeypatch.setattr(bedrock, "answer", lambda _: HandOff(Reason.MODEL_DECIDED))

    assert two.api.post("/v1/agent/test", {"question": QUESTION}).body["outcome"] == "hand_off"


def test_a_trial_shows_the_question_back(two: Desk) -> None:
    shown = two.api.post("/v1/agent/test", {"question": QUESTION}).body

    assert (shown["outcome"], shown["reason"], shown["body"]) == ("ask_back", None, ASKED)


def test_asking_back_reads_the_two_pages_in_one_call_and_an_answer_none(two: Desk) -> None:
    write(two, QUESTION)
    job = two.write(QUESTION, "session-of-otto")
    with recorded_calls() as calls:
        two.work(job)
    assert calls[-2:] == ["dynamodb:BatchGetItem", "dynamodb:TransactWriteItems"]
    assert len(calls) == 7
