"""Lists of suggestions, accepting and dismissing them: every outcome (docs/guides/knowledge-suggestions.md)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.quotas.record import KnowledgeUsage
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge import document_store
from helpdesk.knowledge.documents import Document
from helpdesk.platform import clients, clock, ids
from helpdesk.storage import table
from helpdesk.suggestions import asking
from helpdesk.suggestions.asking import NotIndexed
from helpdesk.suggestions.jobs import AskJob
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.people import issue_token
from tests.support.suggestions import (
    ANSWER,
    QUESTION,
    accept,
    answered,
    ask,
    dismiss,
    documents,
    jobs,
    listed,
    suggested,
)
from tests.support.workers import Workers

EXPORTS = (
    "# Exports\n\n## How do I export my contacts?\n\nOpen the page of a contact and choose Save as vCard.\n"
)


@pytest.fixture
def suggestion(api: Client, workers: Workers) -> dict[str, Any]:
    """Return a suggestion of a new document."""
    return suggested(api, workers)


@pytest.fixture
def change(api: Client, workers: Workers) -> dict[str, Any]:
    """Return a suggestion that changes a document."""
    api.post("/v1/knowledge/documents", {"title": "Exports", "body": EXPORTS})
    workers.run()
    return suggested(api, workers)


def document(api: Client, document_id: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/v1/knowledge/documents/{document_id}").body["document"]
    return found


def test_accepting_writes_the_document(api: Client, organization: Any, suggestion: dict[str, Any]) -> None:
    member = Client(issue_token(organization.organization_id, role="member", name="Mia Member"))

    answer = accept(member, suggestion)

    assert answer.status == 200
    accepted = answer.body["suggestion"]
    assert (accepted["status"], accepted["decidedByName"]) == ("accepted", "Mia Member")
    assert accepted["decidedAt"] >= suggestion["suggestedAt"]
    written = document(api, accepted["documentId"])
    assert (written["title"], written["body"], written["folderId"]) == (QUESTION, ANSWER, None)
    assert (written["source"]["kind"], written["createdByName"]) == ("suggestion", "Mia Member")


def test_every_part_can_be_edited(api: Client, suggestion: dict[str, Any]) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Guides"}).body["id"]

    answer = accept(api, suggestion, title="Exporting", body="Press Export.", folderId=folder)

    written = document(api, answer.body["suggestion"]["documentId"])
    assert (written["title"], written["body"], written["folderId"]) == ("Exporting", "Press Export.", folder)


def test_an_accepted_suggestion_answers_the_next_visitor_and_shows_it(
    api: Client, workers: Workers, suggestion: dict[str, Any]
) -> None:
    accept(api, suggestion)
    workers.run()
    assert listed(api)[0]["answersNow"] == {"answered": 1, "of": 1}

    conversation = ask(api, "how can I export contacts?", "session-of-another")
    workers.run()
    last = api.get(f"/v1/conversations/{conversation}").body["messages"][-1]
    assert "press Export" in last["body"]


def test_a_question_that_the_edited_document_does_not_answer_shows(
    api: Client, workers: Workers, suggestion: dict[str, Any]
) -> None:
    accept(api, suggestion, title="Opening hours", body="We are open from nine to five.")
    workers.run()

    assert listed(api)[0]["answersNow"] == {"answered": 0, "of": 1}


def test_accepting_a_change_changes_the_document_and_keeps_its_folder_and_source(
    api: Client, workers: Workers, change: dict[str, Any]
) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Guides"}).body["id"]
    api.patch(f"/v1/knowledge/documents/{change['targetDocId']}", {"folderId": folder})

    answer = accept(api, change)
    workers.run()

    assert answer.status == 200
    assert answer.body["suggestion"]["documentId"] == change["targetDocId"]
    changed = document(api, change["targetDocId"])
    assert (changed["version"], changed["body"], changed["folderId"]) == (2, change["body"], folder)
    assert changed["source"]["kind"] == "written"
    assert listed(api)[0]["answersNow"] == {"answered": 1, "of": 1}
    assert len(documents(api)) == 1


def test_a_change_can_move_the_document_out_of_its_folder(api: Client, change: dict[str, Any]) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Guides"}).body["id"]
    api.patch(f"/v1/knowledge/documents/{change['targetDocId']}", {"folderId": folder})

    assert accept(api, change, folderId=None).status == 200

    assert document(api, change["targetDocId"])["folderId"] is None


def test_a_document_that_changed_since_makes_it_stale(api: Client, change: dict[str, Any]) -> None:
    api.patch(f"/v1/knowledge/documents/{change['targetDocId']}", {"body": "# Exports\n\nAll is new."})

    answer = accept(api, change)

    assert (answer.status, answer.code) == (409, "suggestion_stale")
    assert document(api, change["targetDocId"])["body"] == "# Exports\n\nAll is new."
    assert listed(api)[0]["status"] == "pending"
    assert dismiss(api, change).status == 200


def test_a_deleted_document_makes_it_gone(api: Client, change: dict[str, Any]) -> None:
    api.delete(f"/v1/knowledge/documents/{change['targetDocId']}")

    answer = accept(api, change)

    assert (answer.status, answer.code) == (409, "suggestion_gone")
    assert documents(api) == []


def test_a_document_that_is_synced_by_now_makes_it_stale(
    api: Client, organization: Any, change: dict[str, Any]
) -> None:
    table.update(
        Document.key_for(organization.organization_id, change["targetDocId"]),
        "SET #source.#kind = :kind",
        names={"#source": "source", "#kind": "kind"},
        values={":kind": "repository"},
    )

    assert accept(api, change).code == "suggestion_stale"


@pytest.mark.parametrize("decide", [accept, dismiss])
@pytest.mark.parametrize("again", [accept, dismiss])
def test_a_decision_is_final(
    api: Client, suggestion: dict[str, Any], decide: Callable[..., Any], again: Callable[..., Any]
) -> None:
    assert decide(api, suggestion).status == 200

    answer = again(api, suggestion)

    assert (answer.status, answer.code) == (409, "suggestion_settled")
    assert len(documents(api)) == (decide is accept)


@pytest.mark.parametrize("seed", range(4))
def test_two_who_accept_at_once_make_one_document(api: Client, suggestion: dict[str, Any], seed: int) -> None:
    outcomes = interleaved([lambda: accept(api, suggestion)] * 2, seed).all()

    assert sorted((answer.status, answer.body.get("error", {}).get("code")) for answer in outcomes) == [
        (200, None),
        (409, "suggestion_settled"),
    ]
    assert len(documents(api)) == 1
    assert len([job for job in jobs() if job["kind"] == "ask"]) == 1


@pytest.mark.parametrize("seed", range(4))
def test_two_who_accept_a_change_at_once_change_it_once(
    api: Client, change: dict[str, Any], seed: int
) -> None:
    outcomes = interleaved([lambda: accept(api, change)] * 2, seed).all()

    assert sorted((answer.status, answer.body.get("error", {}).get("code")) for answer in outcomes) == [
        (200, None),
        (409, "suggestion_settled"),
    ]
    assert document(api, change["targetDocId"])["version"] == 2


def test_a_crash_after_the_text_is_stored_leaves_it_open(
    api: Client, suggestion: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = document_store.write

    def crash(key: str, text: bytes) -> None:
        write(key, text)
        raise MemoryError

    monkeypatch.setattr(document_store, "write", crash)
    assert accept(api, suggestion).status == 500
    monkeypatch.undo()
    assert listed(api)[0]["status"] == "pending"

    assert accept(api, suggestion).status == 200
    assert len(documents(api)) == 1


@pytest.mark.parametrize(
    ("edited", "status", "code"),
    [
        ({"title": " "}, 400, "title_missing"),
        ({"body": "\n"}, 400, "body_missing"),
        ({"folderId": ids.new("fold")}, 404, "knowledge_folder_not_found"),
    ],
)
def test_what_a_document_may_not_be_is_refused_and_leaves_it_open(
    api: Client, suggestion: dict[str, Any], edited: dict[str, Any], status: int, code: str
) -> None:
    answer = accept(api, suggestion, **edited)

    assert (answer.status, answer.code) == (status, code)
    assert listed(api)[0]["status"] == "pending"
    assert documents(api) == []


@pytest.mark.parametrize(("plan", "code"), [(Plan.EXPLORE, "upgrade_required"), (Plan.PRO, "document_limit")])
def test_a_full_knowledge_base_refuses_it(
    make_organization: Callable[..., NewOrganization], workers: Workers, plan: Plan, code: str
) -> None:
    organization = make_organization(plan)
    client = Client(organization.secret_key)
    found = suggested(client, workers)
    table.update(
        KnowledgeUsage.key_for(organization.organization_id),
        "SET documents = :many",
        values={":many": 20_000},
    )

    answer = accept(client, found)

    assert (answer.status, answer.code) == (400, code)
    assert listed(client)[0]["status"] == "pending"


def test_lists_are_newest_first_by_status_and_in_pages(api: Client, workers: Workers) -> None:
    answered(api, workers, session="session-01")
    answered(api, workers, "Which browsers are supported?", "Firefox, Chrome and Safari work.", "session-02")
    answered(api, workers, "Do you have an app?", "Our app is in both stores, for free.", "session-03")
    newest, middle, oldest = listed(api)
    accept(api, middle)

    assert [each["title"] for each in (newest, middle, oldest)] == [
        "Do you have an app?",
        "Which browsers are supported?",
        QUESTION,
    ]
    assert [each["id"] for each in listed(api, "?status=pending")] == [newest["id"], oldest["id"]]
    assert [each["id"] for each in listed(api, "?status=accepted")] == [middle["id"]]
    assert listed(api, "?status=dismissed") == []
    for query in ("limit=1", "limit=1&status=pending"):
        first = api.get(f"/v1/knowledge/suggestions?{query}").body
        assert [each["id"] for each in first["suggestions"]] == [newest["id"]]
        second = api.get(f"/v1/knowledge/suggestions?{query}&cursor={first['nextCursor']}").body
        assert [each["id"] for each in second["suggestions"]] == [
            middle["id"] if "status" not in query else oldest["id"]
        ]
    cursor = api.get("/v1/knowledge/suggestions?limit=1&status=pending").body["nextCursor"]
    assert api.get(f"/v1/knowledge/suggestions?status=accepted&cursor={cursor}").code == "invalid_cursor"
    assert api.get("/v1/knowledge/suggestions?status=new").code == "invalid_request"


def test_one_is_read_by_its_id(api: Client, suggestion: dict[str, Any]) -> None:
    assert api.get(f"/v1/knowledge/suggestions/{suggestion['id']}").body == {"suggestion": suggestion}


def test_questions_wait_until_the_document_is_indexed(
    api: Client,
    organization: Any,
    workers: Workers,
    suggestion: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers.holding |= {"knowledge", "suggestion"}
    accept(api, suggestion)
    workers.run()
    job = {"kind": "ask", "organization": organization.organization_id, "suggestionId": suggestion["id"]}

    with pytest.raises(NotIndexed):
        asking.ask(AskJob.from_body(job), last_try=False)
    assert asking.ask(AskJob.from_body(job), last_try=True) == "postponed"
    assert [each for each in jobs() if each["kind"] == "ask"] == [job, job]

    later = clock.now_ms() + asking.PATIENCE_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    assert asking.ask(AskJob.from_body(job), last_try=False) == "not_indexed"


def test_a_job_that_comes_too_early_is_tried_again(
    api: Client, workers: Workers, suggestion: dict[str, Any]
) -> None:
    workers.holding.add("knowledge")
    accept(api, suggestion)
    workers.run()
    assert listed(api)[0]["answersNow"] is None
    queue = clients.sqs().get_queue_url(QueueName="suggestion.fifo")["QueueUrl"]
    counts = clients.sqs().get_queue_attributes(
        QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )["Attributes"]
    assert json.loads(counts["ApproximateNumberOfMessagesNotVisible"]) == 1


def test_a_deleted_document_is_asked_nothing(
    api: Client, organization: Any, workers: Workers, suggestion: dict[str, Any]
) -> None:
    workers.holding |= {"suggestion"}
    written = accept(api, suggestion).body["suggestion"]["documentId"]
    workers.run()
    api.delete(f"/v1/knowledge/documents/{written}")
    job = {"kind": "ask", "organization": organization.organization_id, "suggestionId": suggestion["id"]}

    assert asking.ask(AskJob.from_body(job), last_try=False) == "gone"
    assert listed(api)[0]["answersNow"] is None
