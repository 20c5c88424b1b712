"""Since when a conversation waits for the team, and the list of the longest waits."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent.answerer import HandOff, Reply
from helpdesk.agent.reasons import Reason
from helpdesk.agent_runs import worker as agent
from helpdesk.conversations import repository
from helpdesk.conversations.jobs import AgentJob
from helpdesk.platform.units import DAY_MS, MINUTE_MS
from tests.integration.conversations.conftest import START_MS, At
from tests.support.api import Client
from tests.support.approvals import ask
from tests.support.between import TRANSACTIONS, before_call
from tests.support.conversations import stored

SESSION = "session-that-waits"

type Decision = Reply | HandOff


class Desk:
    """A conversation, and what people and the agent do in it. Each step takes a minute."""

    def __init__(self, api: Client, organization: str, at: At, monkeypatch: pytest.MonkeyPatch) -> None:
        self.api, self.organization, self.minute = api, organization, 0
        self._at, self._patch = at, monkeypatch
        with at(0):
            self.id = str(self.writes())

    def writes(self) -> Any:
        written = self.api.post("/v1/messages", {"session": SESSION, "body": "Where is my order?"})
        return written.body["conversationId"]

    def agent_works(self, decision: Decision) -> None:
        self._patch.setattr(agent, "_decide", lambda *_, **__: decision)
        newest = repository.conversations.get(self.organization, self.id).newest_visitor_message_id
        assert newest is not None
        agent.work(AgentJob(self.organization, self.id, newest), until=0, last_try=False)

    def asks(self) -> None:
        self.approval = ask(repository.conversations.get(self.organization, self.id))

    def do(self, step: str) -> None:
        """Do a step, a minute after the one before."""
        self.minute += 1
        path = f"/v1/conversations/{self.id}"
        steps: dict[str, Callable[[], Any]] = {
            "visitor writes": self.writes,
            "agent answers": lambda: self.agent_works(Reply("Under Account, Billing.")),
            "agent hands off": lambda: self.agent_works(HandOff(Reason.NOTHING_FOUND)),
            "agent asks for approval": self.asks,
            "approved": lambda: self.api.post(f"/v1/approvals/{self.approval.id}/approve"),
            "reply": lambda: self.api.post(f"{path}/reply", {"body": "One moment."}),
            "note": lambda: self.api.post(f"{path}/note", {"body": "They called."}),
            "snooze": lambda: self.api.post(f"{path}/snooze", {"until": START_MS + DAY_MS}),
        }
        with self.now():
            answer = steps.get(step, lambda: self.api.post(f"{path}/{step}"))()
        assert getattr(answer, "status", 200) == 200, (step, answer)

    def now(self) -> Any:
        """Return the minute of the latest step."""
        return self._at(self.minute * MINUTE_MS)

    def waiting_since(self) -> int | None:
        """Return since which minute it waits, None if it doesn't."""
        shown = self.api.get(f"/v1/conversations/{self.id}").body["conversation"]["waitingSince"]
        place = stored(self.organization, self.id).get("GSI4SK")
        assert place == (None if shown is None else f"{shown}#{self.id}")
        return None if shown is None else (shown - START_MS) // MINUTE_MS


@pytest.fixture
def desk(api: Client, organization: NewOrganization, at: At, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(api, organization.organization_id, at, monkeypatch)


STORIES: list[tuple[list[str], int | None]] = [
    ([], None),
    (["agent hands off"], 0),
    (["agent hands off", "visitor writes", "visitor writes"], 0),
    (["agent answers", "visitor writes", "agent hands off"], 2),
    (["visitor writes", "take-over"], 0),
    (["agent answers", "take-over"], 2),
    (["agent answers", "take-over", "visitor writes"], 2),
    (["take-over", "note"], 0),
    (["take-over", "reply"], None),
    (["take-over", "reply", "visitor writes", "visitor writes"], 3),
    (["take-over", "reply", "hand-back", "visitor writes", "agent hands off"], 4),
    (["take-over", "hand-back"], None),
    (["take-over", "hand-back", "agent hands off"], 0),
    (["agent hands off", "hand-back"], None),
    (["agent hands off", "hand-back", "visitor writes", "agent hands off"], 3),
    (["agent hands off", "hand-back", "take-over"], 3),
    (["agent hands off", "resolve"], None),
    (["agent hands off", "resolve", "reopen"], 3),
    (["agent answers", "resolve", "take-over"], 3),
    (["resolve", "reopen", "agent hands off"], 2),
    (["take-over", "reply", "resolve", "reopen"], None),
    (["agent hands off", "archive"], None),
    (["agent hands off", "archive", "unarchive"], 0),
    (["agent hands off", "snooze"], 0),
    (["agent hands off", "snooze", "visitor writes"], 0),
    (["agent asks for approval"], 0),
    (["agent answers", "visitor writes", "agent asks for approval", "visitor writes"], 2),
    (["agent asks for approval", "approved"], None),
    (["agent asks for approval", "approved", "take-over"], 0),
    (["agent asks for approval", "reply"], 0),
    (["agent asks for approval", "take-over", "reply", "visitor writes"], 0),
    (["agent asks for approval", "take-over", "reply", "visitor writes", "approved"], 4),
    (["agent asks for approval", "take-over", "reply", "approved"], None),
]


@pytest.mark.parametrize(("steps", "since"), STORIES, ids=[", ".join(steps) for steps, _ in STORIES])
def test_it_waits_since_the_earliest_moment_that_nobody_has_answered(
    desk: Desk, steps: list[str], since: int | None
) -> None:
    for step in steps:
        desk.do(step)

    assert desk.waiting_since() == since


def test_a_message_that_arrives_while_the_agent_answers_an_earlier_one_still_waits(desk: Desk) -> None:
    with before_call(TRANSACTIONS, 0, lambda: desk.do("visitor writes")):
        desk.do("agent answers")
    desk.do("take-over")

    assert desk.waiting_since() == 0


def test_a_conversation_that_the_team_starts_waits_for_nobody(desk: Desk) -> None:
    desk.do("resolve")
    customer = desk.api.get(f"/v1/conversations/{desk.id}").body["conversation"]["customer"]["id"]
    with desk.now():
        begun = desk.api.post(f"/v1/customers/{customer}/messages", {"body": "It is fixed."}).body
    desk.id = begun["conversationId"]

    assert desk.waiting_since() is None


def waiting(api: Client, at: At, number: int) -> list[str]:
    """Start conversations, one each minute, that wait for the team; return their ids."""
    ids = []
    for minute in range(1, number + 1):
        with at(minute * MINUTE_MS):
            sent = {"session": f"session-number-{minute}", "body": "Where is my order?"}
            ids.append(api.post("/v1/messages", sent).body["conversationId"])
            api.post(f"/v1/conversations/{ids[-1]}/take-over")
    return ids


def listed(api: Client, parameters: str) -> list[str]:
    """Return what a list has, read in pages of one."""
    found: list[str] = []
    cursor = ""
    while True:
        page = api.get(f"/v1/conversations?limit=1&{parameters}{cursor}")
        assert page.status == 200, page
        found += [each["id"] for each in page.body["conversations"]]
        if page.body["nextCursor"] is None:
            return found
        cursor = f"&cursor={page.body['nextCursor']}"


def test_the_list_has_the_longest_wait_first_whatever_is_written_later(api: Client, at: At) -> None:
    first, second, third = waiting(api, at, 3)
    with at(9 * MINUTE_MS):
        api.post("/v1/messages", {"session": "session-number-1", "body": "Hello?"})
        api.post("/v1/messages", {"session": "session-of-another", "body": "The agent answers me."})

    assert listed(api, "sort=waitingSince") == [first, second, third]
    assert listed(api, "awaitingHuman=true") == [first, third, second]


def test_the_list_takes_the_other_parameters(api: Client, at: At, organization: NewOrganization) -> None:
    first, second, third = waiting(api, at, 3)
    with at(9 * MINUTE_MS):
        for each in (first, third):
            api.post(f"/v1/conversations/{each}/assign", {"userId": organization.owner_id})
        api.post(f"/v1/conversations/{first}/snooze", {"until": START_MS + DAY_MS})

    assert listed(api, f"sort=waitingSince&assignee={organization.owner_id}") == [first, third]
    assert listed(api, "sort=waitingSince&snoozed=false") == [second, third]
    assert listed(api, "sort=waitingSince&assignee=none&status=open&awaitingHuman=true") == [second]


@pytest.mark.parametrize("parameter", ["status=resolved", "archived=true", "awaitingHuman=false"])
def test_what_does_not_wait_is_not_in_the_list(api: Client, at: At, parameter: str) -> None:
    waiting(api, at, 1)

    assert listed(api, f"sort=waitingSince&{parameter}") == []


def test_a_search_has_an_order_of_its_own(api: Client) -> None:
    refused = api.get("/v1/conversations?sort=waitingSince&q=order")

    assert (refused.status, refused.code) == (400, "invalid_request")
    assert "`q`" in refused.body["error"]["message"]
