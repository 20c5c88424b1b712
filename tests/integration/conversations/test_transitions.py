"""Transitions and replies: what they write and send.

The state after each in every state, and the kinds of events: test_states.py, tests/unit/conversations/test_state.py.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import repository
from helpdesk.platform import clock
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls

START_MS = 1_800_000_000_000
type State = tuple[str, str]
OPEN_AGENT, RESOLVED_AGENT = ("open", "agent"), ("resolved", "agent")


@pytest.fixture
def conversation_in(api: Client) -> Callable[[State], str]:
    """Bring a new conversation into a state, with no trace of it in the outbox."""

    def bring(state: State) -> str:
        session = f"session-{len(whole_table.of_kind('SESSION'))}-in-a-state"
        conversation_id = str(
            api.post("/v1/messages", {"session": session, "body": "Hi"}).body["conversationId"]
        )
        if state == RESOLVED_AGENT:
            assert api.post(f"/v1/conversations/{conversation_id}/resolve").status == 200
        whole_table.remove("EVENT")
        return conversation_id

    return bring


@pytest.fixture
def still_clock() -> Iterator[None]:
    with clock.frozen(lambda: START_MS * 1_000):
        yield


def test_an_event_of_a_transition_has_the_envelope_of_the_specification(
    api: Client, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(OPEN_AGENT)
    with clock.frozen(lambda: START_MS * 1_000):
        api.post(f"/v1/conversations/{conversation_id}/resolve")

    (event,) = whole_table.events()
    assert set(event) == {"id", "type", "createdAt", "data"}
    assert event["createdAt"] == START_MS


def test_a_transition_that_changes_nothing_writes_nothing(
    api: Client, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(OPEN_AGENT)
    for move in ("hand-back", "reopen"):
        with recorded_calls() as calls:
            api.post(f"/v1/conversations/{conversation_id}/{move}")

        assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem"]


def test_a_transition_needs_no_body_and_ignores_one(
    api: Client, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(OPEN_AGENT)

    assert api.post(f"/v1/conversations/{conversation_id}/resolve", "no json").status == 200


def reply(api: Client, conversation_id: str, **body: Any) -> Answer:
    return api.post(f"/v1/conversations/{conversation_id}/reply", {"body": "Here I am", **body})


@pytest.mark.usefixtures("still_clock")
def test_a_reply_sends_its_message_alone_whatever_it_changes(
    api: Client, organization: NewOrganization, conversation_in: Callable[[State], str]
) -> None:
    name = organizations.get(organization.organization_id).name
    conversation_id = conversation_in(RESOLVED_AGENT)

    answer = reply(api, conversation_id, takeOver=True)

    expected = {"id": conversation_id, "status": "open", "awaitingHuman": False}
    message_id = answer.body["messageId"]
    assert answer.body == {"messageId": message_id, "conversation": expected}
    (event,) = whole_table.events()
    assert event == {
        "id": event["id"],
        "type": "message.created",
        "createdAt": START_MS,
        "data": {
            "conversation": expected,
            "message": {
                "id": message_id,
                "conversationId": conversation_id,
                "createdAt": START_MS,
                "sender": "agent",
                "agent": {"kind": "human", "name": name, "avatarUrl": None},
                "body": "Here I am",
                "attachments": [],
            },
        },
    }
    assert len(whole_table.outbox()) == 1
    assert whole_table.jobs("agent") == []


def test_a_reply_with_a_token_has_the_name_of_its_person(
    member: Client, api: Client, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(OPEN_AGENT)

    assert reply(member, conversation_id).status == 200

    entry = api.get(f"/v1/conversations/{conversation_id}").body["messages"][-1]
    assert entry["agent"] == {"kind": "human", "name": "Max Member", "avatarUrl": None}


def test_a_person_is_awaited_from_take_over_until_a_teammate_writes_and_after_the_visitors_next_message(
    api: Client, conversation_in: Callable[[State], str]
) -> None:
    def awaited() -> bool:
        return bool(api.get(f"/v1/conversations/{conversation_id}").body["conversation"]["awaitingHuman"])

    session = "session-awaiting-a-person"
    conversation_id = api.post("/v1/messages", {"session": session, "body": "Hi"}).body["conversationId"]
    seen = [awaited()]
    for step in ("take-over", "reply", "message", "resolve", "reopen", "hand-back"):
        if step == "message":
            api.post("/v1/messages", {"session": session, "body": "Are you there?"})
        else:
            api.post(f"/v1/conversations/{conversation_id}/{step}", {"body": "Yes"})
        seen.append(awaited())

    assert seen == [False, True, False, True, False, True, False]


def test_a_reply_with_an_unknown_file_changes_nothing(
    api: Client, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(RESOLVED_AGENT)
    before = whole_table.of_kind("CONV")

    answer = reply(api, conversation_id, attachments=[{"id": "file_unknown", "name": "a"}])

    assert (answer.status, answer.code) == (400, "attachment_missing")
    assert whole_table.of_kind("CONV") == before
    assert whole_table.events() == []


def test_a_reply_sets_the_time_of_the_last_message_and_a_transition_does_not(
    api: Client, organization: NewOrganization
) -> None:
    session = {"session": "session-of-times", "body": "Hi"}
    with clock.frozen(lambda: START_MS * 1_000):
        conversation_id = str(api.post("/v1/messages", session).body["conversationId"])
    times = []
    for milliseconds, step in ((10, "resolve"), (20, "reply")):
        with clock.frozen(lambda at=START_MS + milliseconds: at * 1_000):  # type: ignore[misc]
            api.post(f"/v1/conversations/{conversation_id}/{step}", {"body": "Done"})
        times.append(
            repository.conversations.get(organization.organization_id, conversation_id).last_message_at
        )

    assert times == [START_MS, START_MS + 20]
