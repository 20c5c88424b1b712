"""Which conversations become suggestions, once, and what joins them (docs/guides/knowledge-suggestions.md)."""

from typing import Any

import pytest

from helpdesk.accounts.quotas.errors import Budget, TokensSpent
from helpdesk.accounts.quotas.record import SuggestionDay
from helpdesk.agent import metered
from helpdesk.conversations.jobs import LearnJob
from helpdesk.knowledge.documents import Document
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings as function_settings
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.suggestions import learning
from tests.support.api import Client
from tests.support.conversations import stored
from tests.support.interleaving import interleaved
from tests.support.suggestions import (
    ANSWER,
    QUESTION,
    answered,
    ask,
    dismiss,
    documents,
    events,
    jobs,
    listed,
    reply,
    resolve,
    suggested,
)
from tests.support.workers import Workers

EXPORTS = (
    "# Exports\n\n## How do I export my contacts?\n\nOpen the page of a contact and choose Save as vCard.\n"
)


def settings(api: Client, **changed: bool) -> None:
    assert api.patch("/v1/agent", changed).status == 200


def test_a_thread_that_a_teammate_resolved_becomes_a_suggestion_with_its_event(
    api: Client, workers: Workers
) -> None:
    conversation = answered(api, workers)

    (suggestion,) = listed(api)
    at = suggestion["suggestedAt"]
    (evidence,) = suggestion["evidence"]
    assert suggestion == {
        "id": suggestion["id"],
        "kind": "new",
        "status": "pending",
        "title": QUESTION,
        "body": ANSWER,
        "alias": None,
        "targetDocId": None,
        "baseVersion": None,
        "conversationId": conversation,
        "conversationSubject": QUESTION,
        "evidence": [{"conversationId": conversation, "question": QUESTION, "at": evidence["at"]}],
        "suggestedAt": at,
        "decidedAt": None,
        "decidedBy": None,
        "decidedByName": None,
        "documentId": None,
        "answersNow": None,
        "searches": 0,
    }
    assert events() == [
        {
            "id": suggestion["id"],
            "conversationId": conversation,
            "conversationSubject": QUESTION,
            "title": QUESTION,
            "body": ANSWER,
            "targetDocId": None,
            "suggestedAt": at,
        }
    ]


def test_a_suggestion_is_drafted_without_the_model_where_its_tokens_are_used_up(
    api: Client, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spent(*_: object, **__: object) -> None:
        raise TokensSpent(Budget.DAY)

    monkeypatch.setenv("AGENT_MODEL_ID", "anthropic.claude")
    function_settings.cache_clear()
    monkeypatch.setattr(metered, "turn", spent)

    answered(api, workers)

    assert [(each["title"], each["body"]) for each in listed(api)] == [(QUESTION, ANSWER)]


def test_a_gap_becomes_a_suggestion_with_the_reply_and_grows_until_the_end(
    api: Client, workers: Workers
) -> None:
    conversation = ask(api)
    workers.run()
    reply(api, conversation)
    workers.run()
    assert [each["body"] for each in listed(api)] == [ANSWER]

    reply(api, conversation, "Excel opens that file, too, as does Numbers.")
    workers.run()
    assert [each["body"] for each in listed(api)] == [ANSWER]  # the first reply closed the gap

    resolve(api, conversation)
    workers.run()
    assert [each["body"] for each in listed(api)] == [
        f"{ANSWER}\n\nExcel opens that file, too, as does Numbers."
    ]
    assert len(events()) == 1


def test_a_gap_waits_until_someone_answers_it(api: Client, organization: Any, workers: Workers) -> None:
    conversation = ask(api)
    workers.run()
    asked = stored(organization.organization_id, conversation)["newestVisitorMessageId"]
    assert stored(organization.organization_id, conversation)["gap"] == asked

    reply(api, conversation, "Let me check with the team.")
    workers.run()
    assert listed(api) == []
    assert stored(organization.organization_id, conversation)["gap"] == asked

    reply(api, conversation)
    workers.run()
    assert [each["body"] for each in listed(api)] == [ANSWER]
    assert "gap" not in stored(organization.organization_id, conversation)


def test_without_suggest_knowledge_nothing_is_suggested_before_the_end(api: Client, workers: Workers) -> None:
    settings(api, suggestKnowledge=False)
    conversation = ask(api)
    workers.run()
    reply(api, conversation)
    workers.run()
    assert listed(api) == []
    assert jobs() == []

    resolve(api, conversation)
    workers.run()
    assert len(listed(api)) == 1


def test_without_learn_from_threads_only_gaps_are_learned(api: Client, workers: Workers) -> None:
    settings(api, learnFromThreads=False)
    answered(api, workers)
    assert len(listed(api)) == 1  # the gap

    conversation = ask(api, "I want to talk to a human", "session-of-walter")  # a hand-off that is no gap
    workers.run()
    api.post("/v1/messages", {"session": "session-of-walter", "body": "How many seats has a team?"})
    reply(api, conversation, "A team has ten seats, and more can be bought at any time.")
    resolve(api, conversation)
    workers.run()
    assert len(listed(api)) == 1


def test_with_both_switched_off_nothing_is_learned(api: Client, workers: Workers) -> None:
    settings(api, learnFromThreads=False, suggestKnowledge=False)
    answered(api, workers)

    assert listed(api) == []


def test_a_thread_that_only_the_agent_answered_teaches_nothing(api: Client, workers: Workers) -> None:
    api.post("/v1/knowledge/documents", {"title": "Exports", "body": EXPORTS})
    workers.run()
    conversation = ask(api)
    workers.run()
    resolve(api, conversation)
    workers.run()

    assert listed(api) == []


def test_an_answer_for_this_customer_alone_is_not_suggested(api: Client, workers: Workers) -> None:
    answered(api, workers, answer="I've reset the export of order #4711 for you, it works again.")

    assert listed(api) == []
    assert events() == []


def test_a_repeated_job_makes_no_second_suggestion(api: Client, organization: Any, workers: Workers) -> None:
    conversation = answered(api, workers)
    job = LearnJob(organization.organization_id, conversation)

    assert learning.learn(job, last_try=False) == ["learned_before"]
    assert len(listed(api)) == 1
    assert len(events()) == 1


@pytest.mark.parametrize("seed", range(6))
def test_two_jobs_at_once_make_one_suggestion(
    api: Client, organization: Any, workers: Workers, seed: int
) -> None:
    workers.holding.add("suggestion")
    conversation = answered(api, workers)
    job = LearnJob(organization.organization_id, conversation)

    outcomes = interleaved([lambda: learning.learn(job, last_try=False)] * 2, seed).all()

    assert sorted(outcomes) == [["learned_before"], ["suggested"]]
    assert len(listed(api)) == len(events()) == 1


def test_a_conversation_that_is_reopened_and_resolved_again_is_learned_from_once(
    api: Client, workers: Workers
) -> None:
    conversation = answered(api, workers)
    assert api.post(f"/v1/conversations/{conversation}/reopen").status == 200
    resolve(api, conversation)
    workers.run()

    assert len(listed(api)) == 1


def test_the_same_question_with_the_same_guidance_joins_as_evidence(api: Client, workers: Workers) -> None:
    first = answered(api, workers)
    second = answered(
        api,
        workers,
        "Can I export contacts?",
        "Hi! Go to Settings, Contacts, and press Export; the file is CSV.",
        "session-of-walter",
    )

    (suggestion,) = listed(api)
    assert suggestion["body"] == ANSWER
    assert [(each["conversationId"], each["question"]) for each in suggestion["evidence"]] == [
        (first, QUESTION),
        (second, "Can I export contacts?"),
    ]
    assert len(events()) == 1


def test_other_guidance_for_the_same_question_is_another_suggestion(api: Client, workers: Workers) -> None:
    answered(api, workers)
    answered(
        api, workers, answer="Guests cannot export contacts. Ask an owner of the shop.", session="session-2"
    )

    assert len(listed(api)) == 2


def test_what_was_dismissed_is_not_suggested_again(api: Client, workers: Workers) -> None:
    assert dismiss(api, suggested(api, workers)).status == 200
    answered(api, workers, session="session-of-walter")

    assert [each["status"] for each in listed(api)] == ["dismissed"]


def test_a_document_on_the_subject_is_changed(api: Client, workers: Workers) -> None:
    document = api.post("/v1/knowledge/documents", {"title": "Exports", "body": EXPORTS}).body["id"]
    workers.run()
    answered(api, workers)

    (suggestion,) = listed(api)
    assert (suggestion["kind"], suggestion["targetDocId"], suggestion["baseVersion"]) == (
        "change",
        document,
        1,
    )
    assert suggestion["title"] == "Exports"
    assert suggestion["body"] == f"{EXPORTS.rstrip()}\n\n## {QUESTION}\n\n{ANSWER}\n"
    assert events()[0]["targetDocId"] == document


def test_what_a_document_says_already_is_not_suggested(api: Client, workers: Workers) -> None:
    api.post("/v1/knowledge/documents", {"title": "Exports", "body": f"## {QUESTION}\n\n{ANSWER}"})
    workers.run()
    answered(api, workers, answer="Please open Settings, choose Contacts and press Export: it is a CSV file.")

    assert listed(api) == []


def test_a_synced_document_gets_a_new_one_beside_it(api: Client, organization: Any, workers: Workers) -> None:
    document = api.post("/v1/knowledge/documents", {"title": "Exports", "body": EXPORTS}).body["id"]
    workers.run()
    table.update(
        Document.key_for(organization.organization_id, document),
        "SET #source.#kind = :kind",
        names={"#source": "source", "#kind": "kind"},
        values={":kind": "crawl"},
    )
    answered(api, workers)

    assert [(each["kind"], each["targetDocId"]) for each in listed(api)] == [("new", None)]


def test_at_most_twenty_are_new_on_a_day(
    api: Client, organization: Any, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now_ms()
    day = SuggestionDay.key_for(organization.organization_id, str(now // DAY_MS))
    table.put_new({**day.attributes(), "count": 19})
    answered(api, workers, "How do I export my contacts?", session="session-20")
    answered(
        api,
        workers,
        "Which browsers are supported?",
        "Firefox, Chrome and Safari are supported.",
        "session-21",
    )
    assert [each["title"] for each in listed(api)] == ["How do I export my contacts?"]
    assert (table.get(day) or {})["count"] == 20
    shown = api.get("/v1/billing/limits").body["knowledge"]["suggestionsToday"]
    assert shown == {"used": 20, "limit": 20}

    monkeypatch.setattr(clock, "now_ms", lambda: now + DAY_MS)
    answered(api, workers, "Do you have an app?", "Our app is in both stores, for free.", "session-22")
    assert len(listed(api)) == 2
    assert api.get("/v1/billing/limits").body["knowledge"]["suggestionsToday"]["used"] == 1


def test_evidence_joins_also_when_the_day_is_full(api: Client, organization: Any, workers: Workers) -> None:
    answered(api, workers)
    day = SuggestionDay.key_for(organization.organization_id, str(clock.now_ms() // DAY_MS))
    table.update(day, "SET #count = :full", names={"#count": "count"}, values={":full": 20})
    answered(api, workers, session="session-of-walter")

    assert [len(each["evidence"]) for each in listed(api)] == [2]


def test_a_conversation_that_is_gone_teaches_nothing(organization: Any) -> None:
    job = LearnJob(organization.organization_id, ids.new("conv"))

    assert learning.learn(job, last_try=False) == []


def test_another_organizations_conversation_teaches_nothing(
    api: Client, other_organization: Any, workers: Workers
) -> None:
    workers.holding.add("suggestion")
    conversation = answered(api, workers)
    job = LearnJob(other_organization.organization_id, conversation)

    assert learning.learn(job, last_try=False) == []
    assert documents(api) == []
