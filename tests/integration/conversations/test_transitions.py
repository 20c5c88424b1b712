"""Transitions and replies: the state after each, and the events it sends."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import repository
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls

START_MS = 1_800_000_000_000
type State = tuple[str, str]
OPEN_AGENT, OPEN_TEAM = ("open", "agent"), ("open", "team")
RESOLVED_AGENT, RESOLVED_TEAM = ("resolved", "agent"), ("resolved", "team")

# Every route in every state: the state after it, or None if nothing changes.
TRANSITIONS: dict[str, dict[State, State | None]] = {
    "take-over": {
        OPEN_AGENT: OPEN_TEAM,
        OPEN_TEAM: None,
        RESOLVED_AGENT: OPEN_TEAM,
        RESOLVED_TEAM: OPEN_TEAM,
    },
    "hand-back": {OPEN_AGENT: None, OPEN_TEAM: OPEN_AGENT, RESOLVED_AGENT: None, RESOLVED_TEAM: None},
    "resolve": {
        OPEN_AGENT: RESOLVED_AGENT,
        OPEN_TEAM: RESOLVED_TEAM,
        RESOLVED_AGENT: None,
        RESOLVED_TEAM: None,
    },
    "close": {
        OPEN_AGENT: RESOLVED_AGENT,
        OPEN_TEAM: RESOLVED_TEAM,
        RESOLVED_AGENT: None,
        RESOLVED_TEAM: None,
    },
    "reopen": {OPEN_AGENT: None, OPEN_TEAM: None, RESOLVED_AGENT: OPEN_AGENT, RESOLVED_TEAM: OPEN_TEAM},
}
ON_THE_WAY = {
    OPEN_AGENT: [],
    OPEN_TEAM: ["take-over"],
    RESOLVED_AGENT: ["resolve"],
    RESOLVED_TEAM: ["take-over", "resolve"],
}


@pytest.fixture
def conversation_in(api: Client) -> Callable[[State], str]:
    """Bring a new conversation into a state, with no trace of it in the outbox."""

    def bring(state: State) -> str:
        session = f"session-{len(whole_table.of_kind('SESSION'))}-in-a-state"
        conversation_id = str(
            api.post("/v1/messages", {"session": session, "body": "Hi"}).body["conversationId"]
        )
        for move in ON_THE_WAY[state]:
            assert api.post(f"/v1/conversations/{conversation_id}/{move}").status == 200
        whole_table.remove("EVENT")
        return conversation_id

    return bring


@pytest.fixture
def still_clock() -> Iterator[None]:
    with clock.frozen(lambda: START_MS * 1_000):
        yield


def state_of(api: Client, conversation_id: str) -> State:
    conversation = api.get(f"/v1/conversations/{conversation_id}").body["conversation"]
    return conversation["status"], conversation["handledBy"]


@pytest.mark.parametrize("before", ON_THE_WAY, ids=["-".join(state) for state in ON_THE_WAY])
def test_each_transition_changes_and_sends_as_specified(
    api: Client, conversation_in: Callable[[State], str], before: State
) -> None:
    for move, after in TRANSITIONS.items():
        conversation_id = conversation_in(before)
        answer = api.post(f"/v1/conversations/{conversation_id}/{move}")
        events = whole_table.events()

        assert (move, answer.status, answer.body) == (move, 200, {"ok": True})
        expected = after[before]
        assert state_of(api, conversation_id) == (expected or before)
        if expected is None:
            assert (move, events) == (move, [])
            continue
        (event,) = events
        assert event["type"] == "conversation.updated"
        assert event["data"] == {
            "conversation": {
                "id": conversation_id,
                "status": expected[0],
                # The visitor spoke last: a person is awaited as soon as the team holds an open conversation.
                "awaitingHuman": expected == OPEN_TEAM,
            }
        }
        whole_table.remove("EVENT")


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


# takeOver, reopen -> the state after a reply in each state.
REPLIES: dict[tuple[bool | None, bool | None], dict[State, State]] = {
    (None, None): {state: state for state in ON_THE_WAY},
    (False, False): {state: state for state in ON_THE_WAY},
    (True, None): dict.fromkeys(ON_THE_WAY, OPEN_TEAM),
    (None, True): {
        OPEN_AGENT: OPEN_AGENT,
        OPEN_TEAM: OPEN_TEAM,
        RESOLVED_AGENT: OPEN_AGENT,
        RESOLVED_TEAM: OPEN_TEAM,
    },
    (True, True): dict.fromkeys(ON_THE_WAY, OPEN_TEAM),
}


@pytest.mark.usefixtures("still_clock")
@pytest.mark.parametrize("before", ON_THE_WAY, ids=["-".join(state) for state in ON_THE_WAY])
def test_a_reply_sends_its_message_alone_whatever_it_changes(
    api: Client, organization: NewOrganization, conversation_in: Callable[[State], str], before: State
) -> None:
    name = organizations.get(organization.organization_id).name
    for (take_over, reopen), after in REPLIES.items():
        conversation_id = conversation_in(before)
        answer = reply(api, conversation_id, takeOver=take_over, reopen=reopen)

        expected = {"id": conversation_id, "status": after[before][0], "awaitingHuman": False}
        message_id = answer.body["messageId"]
        assert answer.status == 200
        assert answer.body == {"messageId": message_id, "conversation": expected}
        assert state_of(api, conversation_id) == after[before]
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
        whole_table.remove("EVENT")


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


@pytest.mark.parametrize("file", ["file_unknown", "#", ""])
def test_a_reply_with_an_unknown_file_changes_nothing(
    api: Client, conversation_in: Callable[[State], str], file: str
) -> None:
    conversation_id = conversation_in(RESOLVED_AGENT)
    before = whole_table.of_kind("CONV")

    answer = reply(api, conversation_id, attachments=[{"id": file, "name": "a"}])

    assert (answer.status, answer.code) == (400, "attachment_missing")
    assert whole_table.of_kind("CONV") == before
    assert whole_table.events() == []


def archive(organization: NewOrganization, conversation_id: str) -> None:
    table.update(
        Conversation.key_for(organization.organization_id, conversation_id),
        "SET archivedAt = :now",
        values={":now": START_MS},
    )


def test_an_archived_conversation_takes_no_write(
    api: Client, organization: NewOrganization, conversation_in: Callable[[State], str]
) -> None:
    conversation_id = conversation_in(RESOLVED_AGENT)
    archive(organization, conversation_id)
    answers = {move: api.post(f"/v1/conversations/{conversation_id}/{move}") for move in TRANSITIONS}
    answers["reply"] = reply(api, conversation_id, reopen=True)

    assert {name: (answer.status, answer.code) for name, answer in answers.items()} == dict.fromkeys(
        answers, (400, "conversation_archived")
    )
    assert whole_table.events() == []
    assert api.get(f"/v1/conversations/{conversation_id}").body["conversation"]["archivedAt"] == START_MS


def test_lists_show_a_transition_at_once(api: Client, conversation_in: Callable[[State], str]) -> None:
    conversation_id = conversation_in(OPEN_AGENT)
    seen = []
    for move in ("resolve", "reopen"):
        api.post(f"/v1/conversations/{conversation_id}/{move}")
        listed = {
            status: [c["id"] for c in api.get(f"/v1/conversations?status={status}").body["conversations"]]
            for status in ("open", "resolved")
        }
        seen.append(listed)

    assert seen == [{"open": [], "resolved": [conversation_id]}, {"open": [conversation_id], "resolved": []}]


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
