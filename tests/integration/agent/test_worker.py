"""The agent at work, with the embedded answerer."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import embedded
from helpdesk.agent.answerer import AskBack, HandOff, Outcome, Question, Reply
from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent.reasons import Reason
from helpdesk.agent_runs import worker
from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation
from helpdesk.events.outbox import Event
from helpdesk.platform import clients
from helpdesk.platform.queues import MAX_RECEIVES
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.integration.agent.conftest import Desk
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.template import template

HAND_OFF = "I'm passing this to our team. Someone will answer you here as soon as possible."

type Snapshot = Callable[[], list[dict[str, Any]]]


def events() -> list[dict[str, Any]]:
    """Return the events in the outbox in the order of their ids."""
    items = clients.dynamodb().scan(TableName="helpdesk-test")["Items"]
    found = [table.from_wire(item) for item in items]
    bodies = [json.loads(Event.from_item(item).body) for item in found if item["SK"] == "EVENT"]
    return sorted(bodies, key=lambda event: (event["createdAt"], event["type"] == "conversation.updated"))


def answer_with(monkeypatch: pytest.MonkeyPatch, answerer: Callable[[Question], Reply | HandOff]) -> None:
    monkeypatch.setattr(embedded, "answer", answerer)


def test_the_best_passage_is_quoted_with_its_document(stocked: Desk) -> None:
    job = stocked.write("How long does a refund take?")
    assert stocked.work(job) == []
    (asked, answer) = stocked.thread(job["conversationId"])
    assert asked["sender"] == "visitor"
    assert answer["sender"] == "agent"
    assert answer["agent"] == {"kind": "ai", "name": "Assistant", "avatarUrl": None}
    assert answer["body"] == (
        "Here is what I found in **Refunds**, under “How long does a refund take?”:\n\n"
        "The money is on your card after five working days.\n\n"
        "If this does not answer your question, say that you want a person and I will get the team."
    )


def test_a_question_is_answered_as_well_between_a_greeting_and_a_signature(stocked: Desk) -> None:
    job = stocked.write(
        "Dear Sir or Madam,\n\nhow long does it take?\n\nKind regards,\nVera Lindqvist\nLindqvist Interiors Ltd"
    )
    stocked.work(job)

    (asked, answer) = stocked.thread(job["conversationId"])
    assert asked["body"].startswith("Dear Sir or Madam,\n\nhow long")
    assert "The money is on your card after five working days." in answer["body"]


def test_thanks_in_a_letter_are_not_handed_to_the_team(stocked: Desk) -> None:
    job = stocked.write("Hi,\n\nthat solved it, thanks!\n\nBest regards\nVera")
    stocked.work(job)

    assert stocked.answers(job["conversationId"]) == [
        "You're welcome! If anything else comes up, just write here."
    ]


def test_an_answer_sends_message_created_alone(stocked: Desk) -> None:
    job = stocked.write("How do I get a refund?")
    before = len(events())
    stocked.work(job)
    (event,) = events()[before:]
    assert event["type"] == "message.created"
    assert event["data"]["conversation"] == {
        "id": job["conversationId"],
        "status": "open",
        "awaitingHuman": False,
    }
    assert event["data"]["message"]["agent"]["kind"] == "ai"


def test_the_name_comes_from_the_settings(stocked: Desk) -> None:
    stocked.api.patch("/v1/agent", {"name": "Robin"})
    job = stocked.write("How do I get a refund?")
    stocked.work(job)
    assert stocked.thread(job["conversationId"])[-1]["agent"]["name"] == "Robin"


def test_a_question_that_nothing_answers_is_handed_to_the_team(stocked: Desk) -> None:
    job = stocked.write("Do you sell umbrellas in Lisbon?")
    before = len(events())
    stocked.work(job)
    (_, message, line) = stocked.thread(job["conversationId"])
    assert (message["kind"], message["body"]) == ("message", HAND_OFF)
    assert line["kind"] == "system"
    assert line["body"] == (
        "Assistant handed this conversation to the team: the knowledge base holds no passage that answers the "
        "question well enough."
    )
    conversation = stocked.conversation(job["conversationId"])
    assert (conversation["handledBy"], conversation["awaitingHuman"]) == ("team", True)
    created, updated = events()[before:]
    assert (created["type"], updated["type"]) == ("message.created", "conversation.updated")
    assert created["createdAt"] == updated["createdAt"]
    state = {"id": job["conversationId"], "status": "open", "awaitingHuman": True}
    assert created["data"]["conversation"] == updated["data"]["conversation"] == state


def test_without_any_knowledge_the_conversation_is_handed_over(desk: Desk) -> None:
    job = desk.write("How do I get a refund?")
    desk.work(job)
    assert "no document that is ready" in desk.thread(job["conversationId"])[-1]["body"]


def test_a_file_without_text_is_handed_over(stocked: Desk) -> None:
    file = stocked.api.post("/v1/uploads?name=a.txt", "some text", **{"content-type": "text/plain"})
    job = stocked.write("", attachments=[{"id": file.body["id"], "name": "a.txt"}])
    stocked.work(job)
    assert "no text" in stocked.thread(job["conversationId"])[-1]["body"]


def test_a_repeated_job_answers_once(stocked: Desk, snapshot: Snapshot) -> None:
    job = stocked.write("How do I get a refund?")
    stocked.work(job)
    before = snapshot()
    assert stocked.work(job, job) == []
    assert snapshot() == before


def test_a_repeated_handoff_is_written_once(stocked: Desk, snapshot: Snapshot) -> None:
    job = stocked.write("Do you sell umbrellas in Lisbon?")
    stocked.work(job)
    stocked.move(job["conversationId"], "hand-back")
    before = snapshot()
    assert stocked.work(job) == []
    assert snapshot() == before


def test_two_workers_at_once_answer_once(stocked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    job = stocked.write("How do I get a refund?")

    def slow(_: Question) -> Reply:
        answer_with(monkeypatch, lambda _: Reply("first"))
        stocked.work(job)
        return Reply("second")

    answer_with(monkeypatch, slow)
    assert stocked.work(job) == []
    assert stocked.answers(job["conversationId"]) == ["first"]


def test_messages_written_together_are_answered_together_by_the_last(stocked: Desk) -> None:
    first, second = (
        stocked.write("I have a question about a refund."),
        stocked.write("How long does it take?"),
    )
    seen: list[str] = []

    def heard(question: Question) -> Reply:
        seen.append(question.text)
        return Reply("Five days.")

    assert stocked.work(first) == []
    assert stocked.answers(first["conversationId"]) == []
    with pytest.MonkeyPatch.context() as patch:
        answer_with(patch, heard)
        stocked.work(second)
    assert seen == ["I have a question about a refund.\n\nHow long does it take?"]
    assert stocked.answers(first["conversationId"]) == ["Five days."]


def test_a_message_that_arrives_while_the_agent_prepares_an_answer_gets_its_own(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stocked.write("How do I get a refund?")
    later: list[dict[str, str]] = []

    def interrupted(question: Question) -> Reply:
        if not later:
            later.append(stocked.write("And how long does it take?"))
        return Reply(f"On: {question.text}")

    answer_with(monkeypatch, interrupted)
    stocked.work(first)
    stocked.work(later[0])
    assert stocked.answers(first["conversationId"]) == [
        "On: How do I get a refund?",
        "On: And how long does it take?",
    ]


def test_a_message_that_a_teammate_answered_is_not_answered_again(stocked: Desk) -> None:
    job = stocked.write("How do I get a refund?")
    stocked.api.post(f"/v1/conversations/{job['conversationId']}/reply", {"body": "I did it for you."})
    assert stocked.work(job) == []
    assert stocked.answers(job["conversationId"]) == []


@pytest.mark.parametrize("doing", ["take-over", "resolve", "reply", "archive", "erase"])
def test_a_change_while_the_agent_prepares_an_answer_silences_it(
    stocked: Desk, doing: str, monkeypatch: pytest.MonkeyPatch, snapshot: Snapshot
) -> None:
    job = stocked.write("How do I get a refund?")
    conversation_id = job["conversationId"]
    thought = worker._decide
    moments: list[list[dict[str, Any]]] = []

    def overtaken(*arguments: Any, **options: Any) -> Reply | AskBack | HandOff | Outcome:
        decided = thought(*arguments, **options)
        key = Conversation.key_for(stocked.organization, conversation_id)
        if doing == "reply":
            stocked.api.post(f"/v1/conversations/{conversation_id}/reply", {"body": "I am on it."})
        elif doing == "archive":
            table.update(key, "SET archivedAt = :now", values={":now": 1})
        elif doing == "erase":
            clients.dynamodb().delete_item(TableName="helpdesk-test", Key=table.to_wire(key.attributes()))
        else:
            stocked.move(conversation_id, doing)
        moments.append(snapshot())
        return decided

    monkeypatch.setattr(worker, "_decide", overtaken)
    assert stocked.work(job) == []
    assert snapshot() == moments[0]


def test_a_conversation_of_another_organization_does_not_exist(
    stocked: Desk, other_organization: NewOrganization, stranger: Client, snapshot: Snapshot
) -> None:
    theirs = Desk(stranger, other_organization.organization_id).write("How do I get a refund?")
    before = snapshot()
    assert stocked.work({**theirs, "organization": stocked.organization}) == []
    assert snapshot() == before


def test_an_erased_conversation_or_message_ends_the_job(stocked: Desk, snapshot: Snapshot) -> None:
    job = stocked.write("How do I get a refund?")
    before = snapshot()
    assert stocked.work({**job, "conversationId": "conv_01erased"}) == []
    assert stocked.work({**job, "messageId": "msg_7zerased"}) == []
    assert snapshot() == before


def test_an_agent_that_got_a_conversation_back_answers_again(stocked: Desk) -> None:
    first = stocked.write("How do I get a refund?")
    stocked.move(first["conversationId"], "take-over")
    stocked.move(first["conversationId"], "hand-back")
    second = stocked.write("How long does a refund take?")
    stocked.work(first)
    stocked.work(second)
    assert len(stocked.answers(first["conversationId"])) == 1


def test_a_model_failure_is_tried_again_and_later_jobs_wait(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch, snapshot: Snapshot
) -> None:
    def troubled(_: Question) -> Reply:
        raise ModelTrouble("ThrottlingException")

    answer_with(monkeypatch, troubled)
    job = stocked.write("How do I get a refund?")
    before = snapshot()
    assert stocked.work(job, job, receives=4) == ["message-0", "message-1"]
    assert snapshot() == before


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [(ModelTrouble(), "the model could not be reached"), (OSError(), "the agent failed repeatedly")],
)
def test_the_last_try_hands_off_so_that_every_visitor_gets_a_reply(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch, trouble: Exception, reason: str
) -> None:
    def troubled(_: Question) -> Reply:
        raise trouble

    answer_with(monkeypatch, troubled)
    job = stocked.write("How do I get a refund?")
    assert stocked.work(job, receives=5) == []
    assert stocked.answers(job["conversationId"]) == [HAND_OFF]
    assert reason in stocked.thread(job["conversationId"])[-1]["body"]


@pytest.mark.parametrize(("receives", "rest"), [(1, 5), (2, 20), (3, 60), (4, 120), (9, 120)])
def test_a_failed_message_comes_back_long_before_its_visibility_timeout(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch, receives: int, rest: int
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(conversations, "find", lambda *_: 1 / 0)
    monkeypatch.setattr(clients.sqs(), "change_message_visibility_batch", lambda **sent: asked.append(sent))
    stocked.work(stocked.write("How do I get a refund?"), receives=receives)
    entry = {"Id": "0", "ReceiptHandle": "receipt-0", "VisibilityTimeout": rest}
    assert asked == [{"QueueUrl": settings().agent_queue_url, "Entries": [entry]}]


def test_a_message_that_cannot_be_hastened_is_still_reported(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "find", lambda *_: 1 / 0)
    assert stocked.work(stocked.write("How do I get a refund?")) == ["message-0"]  # no such receipt


def test_the_last_try_is_the_one_the_template_says() -> None:
    queues = template()["Resources"]
    for name in ("AgentQueue", "KnowledgeQueue"):
        assert queues[name]["Properties"]["RedrivePolicy"]["maxReceiveCount"] == MAX_RECEIVES


def test_an_internal_error_is_tried_again(stocked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    job = stocked.write("How do I get a refund?")
    with monkeypatch.context() as broken:
        broken.setattr(conversations, "find", lambda *_: 1 / 0)
        assert stocked.work(job) == ["message-0"]
    assert stocked.work(job) == []
    assert len(stocked.answers(job["conversationId"])) == 1


def test_an_answer_never_exceeds_the_size_limit_of_messages(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, lambda _: Reply("x" * 5000))
    job = stocked.write("How do I get a refund?")
    stocked.work(job)
    assert [len(body) for body in stocked.answers(job["conversationId"])] == [4000]


def test_no_message_text_gets_into_the_logs(stocked: Desk, caplog: pytest.LogCaptureFixture) -> None:
    stocked.work(stocked.write("How do I get a refund for my blue umbrella?"))
    stocked.work(stocked.write("zebra crossing", session="session-of-otto"))
    printed = str([vars(record) for record in caplog.records])
    assert "agent_worked" in printed
    for word in ("umbrella", "zebra", "refund", "card"):
        assert word not in printed.lower()


def test_answering_takes_six_calls(stocked: Desk) -> None:
    stocked.work(stocked.write("How do I get a refund?"))
    job = stocked.write("How long does a refund take?")
    with recorded_calls() as calls:
        stocked.work(job)
    assert calls == [
        "dynamodb:GetItem",  # the conversation
        "dynamodb:Query",  # its thread
        "dynamodb:GetItem",  # the settings
        "dynamodb:Query",  # deleted documents that the index may still have
        "s3:GetObject",  # the manifest, unchanged
        "dynamodb:TransactWriteItems",
    ]


def test_a_reason_is_a_clause_that_ends_a_sentence() -> None:
    assert all(reason.value[0].islower() and reason.value[-1] != "." for reason in Reason)
