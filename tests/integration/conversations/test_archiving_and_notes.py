"""Archiving and unarchiving conversations, and internal notes."""

from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.conversations import stored

NOW = 1_800_000_000_000
SESSION = {"session": "session-to-archive", "body": "Hello"}


@pytest.fixture
def conversation(api: Client) -> str:
    return str(api.post("/v1/messages", SESSION).body["conversationId"])


def do(api: Client, conversation_id: str, step: str, body: Any = None) -> Any:
    answer = api.post(f"/v1/conversations/{conversation_id}/{step}", body)
    assert answer.status == 200, answer.body
    return answer.body


def agents_work() -> list[str]:
    """Return the messages that the agent got jobs for."""
    jobs = [job for item in whole_table.everything() for job in item.get("jobs", [])]
    return [job["body"]["messageId"] for job in jobs if job["queue"] == "agent"]


def test_archiving_twice_keeps_the_first_time(api: Client, conversation: str) -> None:
    for passed in (0, 1_000):
        with clock.frozen(lambda at=NOW + passed: at * 1_000):  # type: ignore[misc]
            assert do(api, conversation, "archive") == {"ok": True}

    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["archivedAt"] == NOW


def test_a_message_to_an_archived_conversation_starts_another_until_it_is_unarchived(
    api: Client, conversation: str
) -> None:
    do(api, conversation, "archive")
    second = api.post("/v1/messages", SESSION).body["conversationId"]
    do(api, second, "resolve")
    do(api, conversation, "unarchive")

    assert second != conversation
    assert api.post("/v1/messages", SESSION).body["conversationId"] == conversation


def test_unarchiving_lets_the_agent_answer_unanswered_messages(api: Client) -> None:
    first = api.post("/v1/messages", SESSION).body
    do(api, first["conversationId"], "archive")
    assert agents_work() == [first["messageId"]]

    do(api, first["conversationId"], "unarchive")

    assert agents_work() == [first["messageId"]] * 2


@pytest.mark.parametrize("steps", [["take-over"], ["resolve"], ["reply"]])
def test_unarchiving_starts_no_agent_job_if_no_message_waits(
    api: Client, conversation: str, steps: list[str]
) -> None:
    for step in (*steps, "archive"):
        do(api, conversation, step, {"body": "Here."} if step == "reply" else None)
    before = agents_work()

    do(api, conversation, "unarchive")

    assert agents_work() == before


def test_a_note_is_read_by_the_team_and_never_by_the_visitor_or_an_endpoint(
    api: Client, member: Client, organization: NewOrganization, conversation: str
) -> None:
    whole_table.remove("EVENT")
    before = stored(organization.organization_id, conversation)

    written = do(api, conversation, "note", {"body": "  A VIP customer. "})
    by_max = do(member, conversation, "note", {"body": "I know this customer."})

    messages = api.get(f"/v1/conversations/{conversation}").body["messages"]
    notes = [entry for entry in messages if entry["kind"] == "note"]
    assert [note["id"] for note in notes] == [written["messageId"], by_max["messageId"]]
    assert notes[0] == {
        "id": written["messageId"],
        "conversationId": conversation,
        "createdAt": notes[0]["createdAt"],
        "kind": "note",
        "sender": "agent",
        "agent": {
            "kind": "human",
            "name": organizations.get(organization.organization_id).name,
            "avatarUrl": None,
        },
        "body": "A VIP customer.",
        "attachments": [],
        "sources": [],
        "found": [],
        "mail": None,
        "mailed": None,
    }
    assert notes[1]["agent"]["name"] == "Max Member"
    history = api.get(f"/v1/messages?session={SESSION['session']}").body["conversations"]
    assert [entry["body"] for entry in history[0]["messages"]] == ["Hello"]
    assert whole_table.events() == []
    assert stored(organization.organization_id, conversation) == before


def test_a_note_carries_files(api: Client, conversation: str) -> None:
    file = api.request("POST", "/v1/uploads?name=plan.txt", "A plan.", **{"content-type": "text/plain"}).body

    do(api, conversation, "note", {"body": "", "attachments": [{"id": file["id"], "name": "plan.txt"}]})

    entry = api.get(f"/v1/conversations/{conversation}").body["messages"][-1]
    assert [(each["name"], each["url"]) for each in entry["attachments"]] == [("plan.txt", file["url"])]
    item = next(item for item in whole_table.of_kind("FILE") if item["PK"].endswith(file["id"]))
    assert entry["id"] in str(item)


def test_a_note_with_an_unknown_file_is_refused(api: Client, conversation: str) -> None:
    note = {"body": "x", "attachments": [{"id": "file_unknown", "name": "a"}]}

    assert api.post(f"/v1/conversations/{conversation}/note", note).code == "attachment_missing"
    assert whole_table.of_kind("NOTE#") == []


def test_a_message_keeps_the_id_of_its_event(
    api: Client, organization: NewOrganization, conversation: str
) -> None:
    do(api, conversation, "reply", {"body": "Here."})

    messages = [item for item in whole_table.of_kind("MSG#") if item["PK"].endswith(conversation)]
    event_ids = {
        event["data"]["message"]["id"]: event["id"]
        for event in whole_table.events()
        if "message" in event["data"]
    }
    assert {message["id"]: message["eventId"] for message in messages} == event_ids
    assert len(event_ids) == 2
    for message in messages:
        assert table.get(Event.key_for(organization.organization_id, message["eventId"])) is not None
    assert all(
        "eventId" not in entry for entry in api.get(f"/v1/conversations/{conversation}").body["messages"]
    )
