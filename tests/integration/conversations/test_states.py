"""The tables of docs/guides/conversation-states.md against what the API does: every cell, and every trigger."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import auto_resolve
from helpdesk.agent.answerer import Goodbye, HandOff, Reply
from helpdesk.agent.reasons import Reason
from helpdesk.agent_runs import worker as agent
from helpdesk.conversations import repository, snoozes
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.platform import clock
from tests.support import states
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.conversations import stored
from tests.support.states import BY_HAND, BY_ITSELF, Desk

TRANSITIONS, TRIGGERS = states.transitions(), states.triggers()
ON_THE_WAY = {
    "open, agent": [],
    "open, team": ["take-over"],
    "snoozed, agent": ["snooze"],
    "snoozed, team": ["take-over", "snooze"],
    "resolved, agent": ["resolve"],
    "resolved, team": ["take-over", "resolve"],
    "archived": ["archive"],
}
INBOX = {
    "open, agent": "open",
    "open, team": "waiting",
    "snoozed, agent": "open",
    "snoozed, team": "waiting",
    "resolved, agent": "resolved",
    "resolved, team": "resolved",
    "archived": "archived",
}
AN_HOUR_MS = 3_600_000
_numbers = count(1)

type Begin = Callable[[list[str]], Desk]


@pytest.fixture
def begin(api: Client) -> Begin:
    """Start a conversation, do some steps to it, and forget the events of that."""

    def start(steps: list[str]) -> Desk:
        session = f"session-number-{next(_numbers)}"
        written = api.post("/v1/messages", {"session": session, "body": "Hello"}).body
        desk = Desk(api, written["conversationId"], session, lambda: clock.now_ms() + AN_HOUR_MS)
        for step in steps:
            assert desk.do(step).status == 200
        whole_table.remove("EVENT", "JOB")
        return desk

    return start


@pytest.fixture
def agent_decides(monkeypatch: pytest.MonkeyPatch, organization: NewOrganization) -> Callable[..., str]:
    """Let the agent answer the first message of a conversation with this decision; return the outcome."""

    def work(desk: Desk, decision: Reply | HandOff | Goodbye) -> str:
        monkeypatch.setattr(agent, "_decide", lambda *_, **__: decision)
        first = desk.api.get(f"/v1/conversations/{desk.id}").body["messages"][0]["id"]
        return agent.work(
            AgentJob(organization.organization_id, desk.id, first), until=0, last_try=False
        ).value

    return work


def wake(organization: str, desk: Desk) -> str:
    """Let the time come of the snooze that the conversation is in, or may have been in."""
    until = repository.conversations.get(organization, desk.id).snoozed_until or clock.now_ms() - 1
    with clock.frozen(lambda: until * 1_000):
        return snoozes.wake(WakeJob(organization, desk.id, until)).value


DECISIONS: dict[str, Reply | HandOff | Goodbye] = {
    "agent's answer": Reply("Under Account, Billing."),
    "agent hands to the team": HandOff(Reason.NOTHING_FOUND),
    "agent ends it": Goodbye("You are welcome."),
}


def column(item: dict[str, Any]) -> str:
    """Return a state by the name of a column."""
    if item.get("archivedAt") is not None:
        return "archived"
    if item.get("snoozedUntil") is not None:
        assert item["status"] == "open"
        return f"snoozed, {item['handledBy']}"
    return f"{item['status']}, {item['handledBy']}"


def test_the_table_of_transitions_has_every_state(begin: Begin) -> None:
    for row, cells in TRANSITIONS.items():
        assert list(cells) == list(ON_THE_WAY), row
    for state, steps in ON_THE_WAY.items():
        assert begin(steps).state() == state


@pytest.mark.parametrize("row", TRANSITIONS)
def test_the_api_behaves_as_each_cell_of_the_table_says(
    row: str, begin: Begin, agent_decides: Callable[..., str], organization: NewOrganization
) -> None:
    for before, cell in TRANSITIONS[row].items():
        desk = begin(ON_THE_WAY[before])
        expected = before if cell in {states.STAYS, states.SILENT} else cell
        if row in {"visitor's message", "the team writes first"}:
            written = desk.do("message" if row == "visitor's message" else row)
            assert (written.body["conversationId"] != desk.id) == (cell == states.ANOTHER), (row, before)
            expected = before if cell == states.ANOTHER else expected
        elif row in DECISIONS:
            outcome = agent_decides(desk, DECISIONS[row])
            assert (outcome == "not_ours") == (cell == states.SILENT), (row, before)
        elif row == "its time has come":
            outcome = wake(organization.organization_id, desk)
            assert (outcome == "woken") == (cell != states.STAYS), (row, before)
        elif cell in {"conversation_archived", "not_archived", "not_resolved"}:
            answer = desk.do(row)
            assert (answer.status, answer.code) == (400, cell), (row, before)
            expected = before
        else:
            assert desk.do(row).status == 200, (row, before)
            expected = "open, agent" if cell == states.AS_BEFORE else expected
        item = stored(organization.organization_id, desk.id)
        assert column(item) == expected, (row, before)
        if item["lastSpeaker"] == "visitor":
            assert item["GSI1PK"].endswith(f"#INBOX#{INBOX[expected]}"), (row, before)
        assert ("GSI4PK" in item) == item["GSI1PK"].endswith("#INBOX#waiting"), (row, before)
        quiet = cell == states.SILENT or (cell == states.STAYS and row not in SPEAKING)
        assert not (quiet and whole_table.events()), (row, before)


SPEAKING = {
    *("visitor's message", "agent's answer", "the team writes first"),
    *("reply", "reply with takeOver", "reply with reopen"),
}


@pytest.mark.parametrize("before", list(ON_THE_WAY)[:-1])
def test_unarchiving_restores_the_state_without_the_snooze(begin: Begin, before: str) -> None:
    desk = begin([*ON_THE_WAY[before], "archive"])
    assert desk.state() == "archived"

    assert desk.do("unarchive").status == 200

    assert desk.state() == before.replace("snoozed", "open")


def test_every_trigger_of_the_table_is_tried() -> None:
    assert set(TRIGGERS) == set(BY_HAND) | BY_ITSELF


@pytest.mark.parametrize("trigger", BY_HAND)
def test_each_trigger_sends_the_events_that_the_table_says(begin: Begin, trigger: str) -> None:
    before, step = BY_HAND[trigger]
    desk = begin(before)

    answer = desk.do(step)

    assert answer.status == 200, answer.body
    events = whole_table.events()
    assert [event["type"] for event in events] == TRIGGERS[trigger]
    assert len({event["createdAt"] for event in events}) <= 1
    for event in events:
        about = event["data"]["conversation"]["id"]
        shown = desk.api.get(f"/v1/conversations/{about}").body["conversation"]
        assert event["data"]["conversation"] == {
            "id": about,
            "status": shown["status"],
            "awaitingHuman": shown["awaitingHuman"],
        }


def test_a_first_message_sends_the_events_in_the_table(api: Client) -> None:
    api.post("/v1/messages", {"session": "session-of-a-first", "body": "Hello"})

    assert whole_table.kinds() == TRIGGERS["a visitor's first message"]


@pytest.mark.parametrize(
    ("trigger", "row"),
    [
        ("the agent answers", "agent's answer"),
        ("the agent hands to the team", "agent hands to the team"),
        ("the agent ends what it finished", "agent ends it"),
    ],
)
def test_the_agents_actions_send_the_events_in_the_table(
    begin: Begin, agent_decides: Callable[..., str], trigger: str, row: str
) -> None:
    agent_decides(begin([]), DECISIONS[row])

    assert whole_table.kinds() == TRIGGERS[trigger]


def test_auto_resolve_sends_the_events_that_the_table_lists(
    begin: Begin, agent_decides: Callable[..., str], organization: NewOrganization
) -> None:
    desk = begin([])
    agent_decides(desk, DECISIONS["agent's answer"])
    whole_table.remove("EVENT")
    answered = repository.conversations.get(organization.organization_id, desk.id)
    assert auto_resolve.is_finished(answered)

    assert auto_resolve.resolve([answered], "Assistant", 24) == 1

    assert desk.state() == "resolved, agent"
    assert whole_table.kinds() == TRIGGERS["auto-resolve resolves a conversation at night"]


def test_a_wake_sends_the_events_in_the_table(begin: Begin, organization: NewOrganization) -> None:
    assert wake(organization.organization_id, begin(["snooze"])) == "woken"

    assert whole_table.kinds() == TRIGGERS["a snooze's time comes"] == []
