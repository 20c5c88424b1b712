"""In which language the agent's own sentences are written, from one message of a conversation to the next."""

from typing import Any

import pytest

from helpdesk.agent import embedded, preparation
from helpdesk.agent.answerer import Question, Reply
from helpdesk.agent.converse import ModelTrouble
from helpdesk.conversations.record import Conversation
from helpdesk.storage import table
from tests.integration.agent.conftest import Desk
from tests.support.aws import recorded_calls

ENGLISH = "I'm passing this to our team. Someone will answer you here as soon as possible."
GERMAN = "Ich gebe Ihre Anfrage an unser Team weiter. Sie erhalten hier so bald wie möglich eine Antwort."
FRENCH = "Je transmets votre demande à notre équipe. Quelqu’un vous répondra ici dès que possible."


def handed_off(desk: Desk, *bodies: str, **fields: Any) -> str:
    """Let a visitor write, and the agent answer each message; return the agent's last message."""
    conversation = ""
    for body in bodies:
        job = desk.write(body, **fields)
        conversation = job["conversationId"]
        desk.move(conversation, "hand-back")
        desk.work(job)
    return desk.answers(conversation)[-1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Ich möchte mit einem Menschen sprechen", GERMAN),
        ("Wo ist meine Bestellung?", GERMAN),
        ("Je voudrais parler à un conseiller", FRENCH),
        ("I want to talk to a human", ENGLISH),
        ("Gdzie jest moja paczka?", ENGLISH),
    ],
)
def test_the_hand_off_is_in_the_language_of_the_request(desk: Desk, body: str, expected: str) -> None:
    assert handed_off(desk, body) == expected


def test_the_organizations_own_sentence_is_read_from_the_next_visitor_on(desk: Desk) -> None:
    assert handed_off(desk, "Mensch bitte", session="session-of-vera") == GERMAN
    own = {"handoff": {"de": "{agent} holt jemanden vom Fern-Team."}}
    assert desk.api.patch("/v1/agent", {"name": "Robin", "texts": own}).status == 200
    assert handed_off(desk, "Mensch bitte", session="session-of-otto") == "Robin holt jemanden vom Fern-Team."
    assert handed_off(desk, "Human please", session="session-of-jane") == ENGLISH


def test_a_visitor_of_unknown_language_reads_the_organizations(desk: Desk) -> None:
    desk.api.patch("/v1/agent", {"language": "fr"})
    assert handed_off(desk, "AB-1234") == FRENCH


def test_the_browser_decides_if_the_message_says_too_little(desk: Desk) -> None:
    desk.api.patch("/v1/agent", {"language": "fr"})
    assert handed_off(desk, "AB-1234", context={"locale": "de-AT"}) == GERMAN
    written = handed_off(desk, "Where is my order?", session="session-of-jane", context={"locale": "de-AT"})
    assert written == ENGLISH


@pytest.mark.parametrize("short", ["merci", "AB-1234"])
def test_a_short_message_leaves_the_conversation_in_its_language(desk: Desk, short: str) -> None:
    handed_off(desk, "Wo ist meine Bestellung?")
    # More short messages than the agent reads of a thread.
    answers = {handed_off(desk, short) for _ in range(3)}
    greeting = "Gern geschehen! Wenn Sie noch etwas brauchen, schreiben Sie einfach hier."
    assert answers <= {GERMAN, greeting}


def test_the_language_outlasts_what_the_agent_reads_of_a_thread(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_off(desk, "Wo ist meine Bestellung?")
    monkeypatch.setattr(preparation, "THREAD_MESSAGES", 1)
    assert handed_off(desk, "AB-1234") == GERMAN


def test_a_clear_message_in_another_language_changes_it(desk: Desk) -> None:
    assert handed_off(desk, "Wo ist meine Bestellung?", "Can you please write to me in English?") == ENGLISH
    assert handed_off(desk, "ok") == ENGLISH


def test_of_several_messages_the_newest_clear_one_counts(desk: Desk) -> None:
    desk.write("Where is my order?")
    desk.write("Entschuldigung, wo ist meine Bestellung?")
    assert handed_off(desk, "AB-1234") == GERMAN


def test_the_language_is_noted_with_the_answer_and_only_if_it_is_clear(desk: Desk) -> None:
    def noted(conversation_id: str) -> object:
        return (table.get(Conversation.key_for(desk.organization, conversation_id)) or {}).get("language")

    job = desk.write("merci")
    desk.work(job)
    assert noted(job["conversationId"]) is None
    job = desk.write("Where is my order?", session="session-of-otto")
    desk.work(job)
    assert noted(job["conversationId"]) == "en"


def test_a_language_that_this_version_does_not_know_is_ignored(desk: Desk) -> None:
    job = desk.write("AB-1234")
    key = Conversation.key_for(desk.organization, job["conversationId"])
    table.update(key, "SET #language = :xx", names={"#language": "language"}, values={":xx": "xx"})
    desk.work(job)
    assert desk.answers(job["conversationId"]) == [ENGLISH]


def test_answers_and_goodbyes_are_in_the_language_too(desk: Desk) -> None:
    desk.learn("Erstattungen", "## Wie lange dauert eine Erstattung?\n\nDas Geld ist nach fünf Tagen da.")
    desk.api.patch("/v1/agent", {"autoResolve": True})
    job = desk.write("Wie lange dauert eine Erstattung?")
    desk.work(job)
    desk.work(desk.write("Danke, das hat geholfen!"))
    first, last = desk.answers(job["conversationId"])
    assert first == (
        "Das habe ich in **Erstattungen** unter „Wie lange dauert eine Erstattung?“ gefunden:\n\n"
        "Das Geld ist nach fünf Tagen da.\n\n"
        "Falls das Ihre Frage nicht beantwortet, schreiben Sie bitte, dass Sie mit einem Menschen sprechen möchten. "
        "Dann hole ich unser Team dazu."
    )
    assert last == (
        "Gern geschehen! Ich schließe diese Unterhaltung. "
        "Wenn Sie noch Fragen haben, schreiben Sie einfach wieder hier."
    )


def test_a_hand_off_after_failures_is_in_the_language_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.learn("Bestellungen", "## Bestellung\n\nIhre Bestellung ist unterwegs.")

    def troubled(_: Question) -> Reply:
        raise ModelTrouble

    monkeypatch.setattr(embedded, "answer", troubled)
    job = desk.write("Wo ist meine Bestellung?")
    assert desk.work(job, receives=5) == []
    assert desk.answers(job["conversationId"]) == [GERMAN]


def test_the_language_costs_no_call(stocked: Desk) -> None:
    stocked.work(stocked.write("Wo ist meine Bestellung?", session="session-of-otto"))
    job = stocked.write("Wo ist meine Bestellung?")
    with recorded_calls() as calls:
        stocked.work(job)
    assert len(calls) == 6 + calls.count(
        "dynamodb:BatchGetItem"
    )  # which reads the pages that a hand-off shows
