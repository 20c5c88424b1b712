"""Where a message goes, what it leaves in the outbox, and what it costs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.record import Conversation
from helpdesk.events.outbox import Event, JobQueue
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls

SESSION = "session-of-a-visitor"
NOW_MS = 1_800_000_000_000


def post(api: Client, body: str = "Hello", **more: Any) -> tuple[str, str]:
    """Return the ids of conversation and message."""
    answer = api.post("/v1/messages", {"session": SESSION, "body": body, **more})
    assert answer.status == 200, answer
    return answer.body["conversationId"], answer.body["messageId"]


def move(api: Client, conversation_id: str, name: str) -> None:
    assert api.post(f"/v1/conversations/{conversation_id}/{name}").status == 200


def archive(organization: NewOrganization, conversation_id: str) -> None:
    table.update(
        Conversation.key_for(organization.organization_id, conversation_id),
        "SET archivedAt = :now",
        values={":now": NOW_MS},
    )


# -- which conversation


def test_messages_of_a_session_go_to_its_open_conversation(api: Client) -> None:
    assert len({post(api)[0] for _ in range(3)}) == 1


def test_a_resolved_conversation_stays_resolved_and_the_message_starts_another(api: Client) -> None:
    for ending in ("resolve", "close"):
        resolved, _ = post(api)
        move(api, resolved, ending)

        started, _ = post(api, "One more thing")

        assert started != resolved
        assert api.get(f"/v1/conversations/{resolved}").body["conversation"]["status"] == "resolved"
        assert post(api)[0] == started
        move(api, started, "resolve")


def test_a_message_goes_to_a_reopened_conversation(api: Client) -> None:
    resolved, _ = post(api)
    move(api, resolved, "resolve")
    move(api, resolved, "reopen")

    assert post(api)[0] == resolved


def test_a_message_goes_to_the_newest_of_two_open_conversations(api: Client) -> None:
    older, _ = post(api)
    move(api, older, "resolve")
    newer, _ = post(api)
    move(api, older, "reopen")
    assert post(api)[0] == newer

    move(api, newer, "resolve")
    assert post(api)[0] == older

    move(api, newer, "reopen")
    assert post(api)[0] == newer


def test_a_reply_that_opens_an_older_one_is_answered_there_only_while_no_newer_is_open(api: Client) -> None:
    older, _ = post(api)
    move(api, older, "resolve")
    api.post(f"/v1/conversations/{older}/reply", {"body": "Did it help?", "reopen": True})

    assert post(api)[0] == older


def test_an_archived_open_conversation_accepts_no_message(api: Client, organization: NewOrganization) -> None:
    archived, _ = post(api)
    archive(organization, archived)

    started, _ = post(api)

    assert started != archived
    assert post(api)[0] == started


def test_a_message_to_an_archived_one_goes_to_an_older_open_one(
    api: Client, organization: NewOrganization
) -> None:
    older, _ = post(api)
    move(api, older, "resolve")
    newer, _ = post(api)
    move(api, older, "reopen")
    archive(organization, newer)

    assert post(api)[0] == older


def test_a_visitor_is_one_customer_in_all_their_conversations(api: Client) -> None:
    for _ in range(3):
        move(api, post(api)[0], "resolve")

    assert len(whole_table.of_kind("CUS")) == 1
    conversations = api.get("/v1/conversations").body["conversations"]
    assert len({conversation["customer"]["id"] for conversation in conversations}) == 1


# -- events and jobs


def test_a_first_message_sends_the_conversation_and_then_itself_at_the_same_instant(api: Client) -> None:
    with clock.frozen(lambda: NOW_MS * 1_000):
        conversation_id, message_id = post(api, "Grüße 😀")

    conversation = {"id": conversation_id, "status": "open", "awaitingHuman": False}
    created, message = whole_table.events()
    assert created == {
        "id": created["id"],
        "type": "conversation.created",
        "createdAt": NOW_MS,
        "data": {"conversation": conversation},
    }
    assert message == {
        "id": message["id"],
        "type": "message.created",
        "createdAt": NOW_MS,
        "data": {
            "conversation": conversation,
            "message": {
                "id": message_id,
                "conversationId": conversation_id,
                "createdAt": NOW_MS,
                "sender": "visitor",
                "agent": None,
                "body": "Grüße 😀",
                "attachments": [],
            },
        },
    }


def test_an_event_is_kept_as_the_very_text_that_is_sent(api: Client) -> None:
    post(api)

    for item in whole_table.outbox():
        body = json.loads(Event.from_item(item).body)
        assert list(body) == ["id", "type", "createdAt", "data"]
        assert (item["id"], item["type"], item["createdAt"]) == (body["id"], body["type"], body["createdAt"])
        assert item["entity"] == "outbox"


def test_the_agent_gets_a_job_for_each_message_unless_the_team_handles_the_conversation(
    api: Client, organization: NewOrganization
) -> None:
    def jobs() -> list[Any]:
        found = whole_table.jobs("agent")
        whole_table.remove("EVENT")
        return found

    conversation_id, first = post(api)
    job = {
        "queue": JobQueue.AGENT.value,
        "body": {
            "organization": organization.organization_id,
            "conversationId": conversation_id,
            "messageId": first,
        },
    }
    assert jobs() == [job]

    _, second = post(api)
    (again,) = jobs()
    assert again["body"]["messageId"] == second

    move(api, conversation_id, "take-over")
    post(api)
    assert jobs() == []

    move(api, conversation_id, "hand-back")
    jobs()
    _, last = post(api)
    (after,) = jobs()
    assert after["body"]["messageId"] == last


def test_the_agent_handles_a_new_conversation_after_one_that_the_team_handled(api: Client) -> None:
    resolved, _ = post(api)
    move(api, resolved, "take-over")
    move(api, resolved, "resolve")
    whole_table.remove("EVENT")
    post(api)

    assert len(whole_table.jobs("agent")) == 1


# -- cost


@pytest.fixture
def calls_of(api: Client) -> Callable[..., list[str]]:
    def count(**more: Any) -> list[str]:
        with recorded_calls() as calls:
            post(api, **more)
        return [call.removeprefix("dynamodb:") for call in calls]

    return count


THREE = ["UpdateItem", "GetItem", "TransactWriteItems"]


def test_a_message_in_an_existing_conversation_is_three_calls(
    api: Client, calls_of: Callable[..., list[str]]
) -> None:
    conversation_id, _ = post(api)
    assert calls_of() == THREE
    assert calls_of(user={"name": "Vera"}) == THREE
    assert calls_of(user={"name": "Vera"}) == THREE
    assert calls_of(context={"device": "mobile"}) == THREE

    move(api, conversation_id, "take-over")
    # The session learns that the team holds it from the first message after; from then on it is three again.
    assert calls_of() == [*THREE, "TransactWriteItems"]
    assert calls_of() == THREE


def test_a_known_identity_is_not_written_again(api: Client) -> None:
    post(api, user={"name": "Vera"})
    (before,) = whole_table.of_kind("CUS")
    with clock.frozen(lambda: clock._system_us() + 60_000_000):
        post(api, user={"name": "Vera"})

    (after,) = whole_table.of_kind("CUS")
    assert after == before


def test_a_refused_message_writes_nothing_but_its_charge(api: Client) -> None:
    with recorded_calls() as calls:
        api.post("/v1/messages", {"session": SESSION, "body": ""})

    assert calls == ["dynamodb:UpdateItem"]


def test_the_longest_message_fits_into_the_table(api: Client, organization: NewOrganization) -> None:
    # Every field at its limit, in the characters that weigh most.
    wide = "😀"
    sent = MessageInput.model_validate(
        {
            "session": wide * 128,
            "body": wide * 4_000,
            "user": {
                "name": wide * 80,
                "email": wide * 320,
                "avatarUrl": "https://example.com/" + wide * 492,
                "metadata": {wide * 198 + f"{number:02d}": wide * 200 for number in range(16)},
            },
            "context": dict.fromkeys(("timeZone", "locale", "browser", "os", "screen"), wide * 500),
            "page": {
                "url": "https://example.com/" + wide * 5_000,
                "title": wide * 500,
                "referrer": wide * 5_000,
            },
        }
    )

    messages.post(organization.organization_id, sent)

    assert max(len(repr(item).encode()) for item in whole_table.everything()) < 400_000
