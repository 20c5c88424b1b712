"""What suggestions hold of a customer is erased and exported with the customer."""

from typing import Any

from helpdesk.storage import table
from helpdesk.suggestions.record import Suggestion
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.suggestions import ANSWER, accept, answered, dismiss, documents, listed
from tests.support.traces import in_the_table
from tests.support.workers import Workers

QUESTION = "How do I tune my xylophone?"
OTHERS = "How can I tune a xylophone?"
TUNING = "Sand the bar at its middle to lower it, and at its ends to raise it."


def learned(api: Client, workers: Workers, session: str = "session-of-vera", question: str = QUESTION) -> str:
    """Let a suggestion be learned from a conversation, or joined by it; return the customer."""
    conversation = answered(api, workers, question, TUNING, session)
    return str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])


def erase(api: Client, workers: Workers, customer: str) -> dict[str, Any]:
    """Erase a customer; return the counts of the receipt."""
    receipt = api.delete(f"/v1/customers/{customer}").body["receipt"]
    workers.run()
    counts: dict[str, Any] = api.get(f"/v1/erasures/{receipt['id']}").body["receipt"]["counts"]
    return counts


def test_a_suggestion_that_only_they_support_is_deleted(api: Client, organization: Any) -> None:
    workers = Workers("search")
    customer = learned(api, workers)
    assert len(listed(api)) == 1

    counts = erase(api, workers, customer)

    assert listed(api) == []
    assert in_the_table(["xylophone"]) == []
    # two messages of a visitor and a teammate, one of the agent, and the suggestion's
    assert counts["events"] == counts["messages"] + 1
    left = table.query_all(Suggestion.partition_for(organization.organization_id), sk_prefix="SUGGESTION#")
    assert left == []


def test_a_dismissed_one_is_deleted_too(api: Client) -> None:
    workers = Workers("search")
    customer = learned(api, workers)
    dismiss(api, listed(api)[0])

    erase(api, workers, customer)

    assert listed(api) == []


def test_an_accepted_one_keeps_its_document_and_nothing_of_theirs(api: Client) -> None:
    workers = Workers("search")
    customer = learned(api, workers)
    accept(api, listed(api)[0], title="Tuning", body=ANSWER)
    workers.run()

    erase(api, workers, customer)

    (left,) = listed(api)
    assert (left["status"], left["title"], left["body"], left["evidence"]) == ("accepted", "", "", [])
    assert (left["conversationId"], left["conversationSubject"]) == (None, "")
    assert left["answersNow"] == {"answered": 0, "of": 1}
    assert [each["title"] for each in documents(api)] == ["Tuning"]
    assert in_the_table(["xylophone"]) == []


def test_one_that_others_support_stays_with_their_question(api: Client) -> None:
    workers = Workers("search")
    customer = learned(api, workers)
    learned(api, workers, "session-of-walter", OTHERS)
    (before,) = listed(api)

    erase(api, workers, customer)

    (left,) = listed(api)
    assert (left["title"], left["body"], left["conversationSubject"]) == (OTHERS, TUNING, OTHERS)
    assert left["evidence"] == before["evidence"][1:]
    assert left["conversationId"] == before["evidence"][1]["conversationId"]
    assert in_the_table(["my xylophone"]) == []


def test_the_section_of_a_change_gets_their_question(api: Client) -> None:
    workers = Workers("search")
    text = f"# Tuning\n\n## {OTHERS}\n\nBring it to our shop."
    api.post("/v1/knowledge/documents", {"title": "Tuning", "body": text})
    workers.run()
    customer = learned(api, workers)
    learned(api, workers, "session-of-walter", OTHERS)

    erase(api, workers, customer)

    (left,) = listed(api)
    assert (left["kind"], left["title"]) == ("change", "Tuning")
    assert left["body"] == f"{text}\n\n## {OTHERS}\n\n{TUNING}\n"


def test_evidence_goes_from_the_suggestion_of_another(api: Client) -> None:
    workers = Workers("search")
    learned(api, workers)
    customer = learned(api, workers, "session-of-walter", OTHERS)

    erase(api, workers, customer)

    (left,) = listed(api)
    assert [each["question"] for each in left["evidence"]] == [QUESTION]


def test_a_gap_goes_with_its_conversation(api: Client) -> None:
    workers = Workers("search")
    written = api.post("/v1/messages", {"session": "session-of-vera", "body": QUESTION}).body[
        "conversationId"
    ]
    workers.run()
    assert [item for item in whole_table.everything() if "gap" in item] != []
    customer = api.get(f"/v1/conversations/{written}").body["conversation"]["customer"]["id"]

    erase(api, workers, customer)

    assert [item for item in whole_table.everything() if "gap" in item] == []


def test_the_export_has_the_questions_that_suggestions_keep(api: Client) -> None:
    workers = Workers("search")
    customer = learned(api, workers)
    (suggestion,) = listed(api)

    first = api.get(f"/v1/customers/{customer}/export?limit=1").body
    second = api.get(f"/v1/customers/{customer}/export?limit=50&cursor={first['nextCursor']}").body

    assert first["conversations"][0]["suggestedQuestions"] == [
        {"suggestionId": suggestion["id"], "question": QUESTION, "at": suggestion["evidence"][0]["at"]}
    ]
    assert second["conversations"][0]["suggestedQuestions"] == []
