"""autoResolve: the agent ends what it finished on its own, when the visitor says that all is well."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.agent import embedded
from helpdesk.agent.answerer import HandOff, Outcome, Question, Reply
from helpdesk.agent_runs import worker
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from tests.integration.agent.conftest import Desk
from tests.integration.agent.test_worker import HAND_OFF, events
from tests.support import table as whole_table
from tests.support.interleaving import interleaved

GOODBYE = "You're welcome! I'm closing this conversation. If anything else comes up, just write here."
LINE = "Assistant resolved this conversation: the visitor said that all is well."


@pytest.fixture
def on(stocked: Desk) -> Desk:
    assert stocked.api.patch("/v1/agent", {"autoResolve": True}).status == 200
    return stocked


def answered(desk: Desk, question: str = "How do I get a refund?") -> str:
    job = desk.write(question)
    desk.work(job)
    return job["conversationId"]


def state(desk: Desk, conversation: str) -> tuple[str, str]:
    found = desk.conversation(conversation)
    return found["status"], found["handledBy"]


def test_a_visitor_who_closes_the_conversation_gets_a_goodbye(on: Desk) -> None:
    conversation = answered(on)
    before = len(events())

    on.work(on.write("Thanks!"))

    assert state(on, conversation) == ("resolved", "agent")
    *_, said, line = on.thread(conversation)
    assert (said["kind"], said["body"]) == ("message", GOODBYE)
    assert (line["kind"], line["body"]) == ("system", LINE)
    _, created, updated = events()[before:]
    assert (created["type"], updated["type"]) == ("message.created", "conversation.updated")
    shown = {"id": conversation, "status": "resolved", "awaitingHuman": False}
    assert created["data"]["conversation"] == updated["data"]["conversation"] == shown
    assert created["createdAt"] == updated["createdAt"]


def test_a_conversation_that_the_agent_resolved_can_be_rated(on: Desk) -> None:
    conversation = answered(on)
    on.work(on.write("Thanks!"))

    rating = {"session": "session-of-vera", "conversationId": conversation, "stars": 5}

    assert on.api.post("/v1/messages/rating", rating).status == 200


def test_the_visitors_next_message_starts_another_conversation(on: Desk) -> None:
    conversation = answered(on)
    on.work(on.write("Thanks!"))

    assert on.write("One more thing")["conversationId"] != conversation


def test_without_auto_resolve_thanks_are_answered_and_the_conversation_stays_open(stocked: Desk) -> None:
    conversation = answered(stocked)

    stocked.work(stocked.write("Thanks!"))

    assert state(stocked, conversation) == ("open", "agent")
    assert len(stocked.answers(conversation)) == 2


def test_a_visitor_who_says_more_than_thanks_gets_an_answer(on: Desk) -> None:
    conversation = answered(on)

    on.work(on.write("Thanks! How long does a refund take?"))

    assert state(on, conversation)[0] == "open"


def test_a_question_and_thanks_written_together_are_answered(on: Desk) -> None:
    conversation = answered(on)
    first, second = on.write("How long does a refund take?"), on.write("Thanks!")

    on.work(first, second)

    assert state(on, conversation)[0] == "open"


def test_thanks_with_a_file_do_not_resolve_the_conversation(on: Desk) -> None:
    conversation = answered(on)
    file = on.api.post("/v1/uploads?name=a.txt", "some text", **{"content-type": "text/plain"})

    on.work(on.write("Thanks!", attachments=[{"id": file.body["id"], "name": "a.txt"}]))

    assert state(on, conversation)[0] == "open"


def test_thanks_before_any_answer_do_not_resolve_the_conversation(on: Desk) -> None:
    job = on.write("Thanks!")

    on.work(job)

    assert state(on, job["conversationId"])[0] == "open"


def test_a_conversation_that_the_team_handles_is_not_resolved(on: Desk) -> None:
    conversation = answered(on)
    on.move(conversation, "take-over")

    on.work(on.write("Thanks!"))

    assert state(on, conversation) == ("open", "team")
    assert GOODBYE not in on.answers(conversation)


def test_a_conversation_with_a_teammates_message_is_not_resolved_after_it_was_handed_back(on: Desk) -> None:
    conversation = answered(on)
    on.api.post(f"/v1/conversations/{conversation}/reply", {"body": "Let me see", "takeOver": True})
    on.move(conversation, "hand-back")

    on.work(on.write("Thanks!"))

    assert state(on, conversation)[0] == "open"


def test_a_conversation_with_a_hand_off_is_not_resolved_after_it_was_handed_back(on: Desk) -> None:
    conversation = answered(on, "Do you sell umbrellas in Lisbon?")
    on.move(conversation, "hand-back")

    on.work(on.write("Thanks!"))

    assert state(on, conversation)[0] == "open"


@pytest.mark.parametrize("model", [True, False])
def test_a_visitor_who_asks_for_a_person_gets_one_with_any_settings(
    on: Desk, monkeypatch: pytest.MonkeyPatch, model: bool
) -> None:
    def answers_anything(_: Question) -> Reply | HandOff:
        return Reply("No person for you.")

    conversation = answered(on)
    if model:
        monkeypatch.setattr(embedded, "answer", answers_anything)

    on.work(on.write("Thanks! Can I speak to a real person?"))

    assert state(on, conversation) == ("open", "team")
    assert on.answers(conversation)[-1] == HAND_OFF
    assert "the visitor asked for a person" in on.thread(conversation)[-1]["body"]


def test_a_message_that_comes_in_between_is_never_left_in_a_resolved_conversation(on: Desk) -> None:
    outcomes = set()
    for seed in range(12):
        session = f"session-number-{seed}"
        first = on.write("How do I get a refund?", session)
        on.work(first)
        thanks = on.write("Thanks!", session)
        job = AgentJob(on.organization, thanks["conversationId"], thanks["messageId"])
        sent = MessageInput.model_validate({"session": session, "body": "How long does it take?"})

        pieces: list[Callable[[], Any]] = [
            partial(worker.work, job, until=0, last_try=False),
            partial(messages.post, on.organization, sent),
        ]
        ended, posted = interleaved(pieces, seed).all()

        resolved = state(on, first["conversationId"])[0] == "resolved"
        assert resolved == (ended is Outcome.RESOLVED)
        assert resolved == (posted.conversation_id != first["conversationId"])
        outcomes.add(resolved)
    assert outcomes == {True, False}
    assert whole_table.outbox()
