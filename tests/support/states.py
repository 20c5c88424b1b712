"""What docs/guides/conversation-states.md says: its two tables, to hold the code and the API against."""

import re
from collections.abc import Callable
from typing import Any, Protocol

from tests.support.api import Answer
from tests.support.template import ROOT

PAGE = ROOT / "docs" / "guides" / "conversation-states.md"
STAYS = "–"
SILENT = "stays silent"
ANOTHER = "starts another"
AS_BEFORE = "as it was before"


def _table(first_header: str) -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first_header} |"))
    rows = [lines[start], *lines[start + 2 :]]
    cells = []
    for line in rows:
        if not line.startswith("|"):
            break
        cells.append([cell.strip() for cell in line.strip("|").split("|")])
    return cells


def transitions() -> dict[str, dict[str, str]]:
    """Return the table of transitions: by the name of the row, what stands under each state."""
    header, *rows = _table("transition")
    return {
        row[0].replace("`", ""): dict(zip(header[1:], (cell.strip("`") for cell in row[1:]), strict=True))
        for row in rows
    }


def triggers() -> dict[str, list[str]]:
    """Return the table of triggers: the events that each sends, in their order."""
    _, *rows = _table("trigger")
    return {trigger: re.findall(r"`([\w.]+)`", events) for trigger, events in rows}


class Caller(Protocol):
    """The API, in this process or over HTTP."""

    def get(self, url: str, /) -> Answer:
        """GET."""

    def post(self, url: str, body: Any = None, /) -> Answer:
        """POST."""


class Desk:
    """One conversation, and what may be done to it."""

    def __init__(self, api: Caller, conversation_id: str, session: str, later: Callable[[], int]) -> None:
        self.api, self.id, self.session, self._later = api, conversation_id, session, later

    def do(self, step: str) -> Answer:
        """Do one step, by its name in the tables' tests; return the answer."""
        path = f"/v1/conversations/{self.id}"
        if step == "message":
            return self.api.post("/v1/messages", {"session": self.session, "body": "One more thing."})
        if step.startswith("reply"):
            how = {"takeOver": step.endswith("takeOver"), "reopen": step.endswith("reopen")}
            return self.api.post(f"{path}/reply", {"body": "A person here.", **how})
        if step == "the team writes first":
            customer = self.api.get(path).body["conversation"]["customer"]["id"]
            return self.api.post(f"/v1/customers/{customer}/messages", {"body": "It is fixed."})
        if step == "rating":
            rating = {"session": self.session, "conversationId": self.id, "stars": 5}
            return self.api.post("/v1/messages/rating", rating)
        if step == "note":
            return self.api.post(f"{path}/note", {"body": "For the team."})
        if step == "assign":
            member = self.api.get("/v1/members").body["members"][0]["userId"]
            return self.api.post(f"{path}/assign", {"userId": member})
        if step == "snooze":
            return self.api.post(f"{path}/snooze", {"until": self._later()})
        if step == "snooze with null":
            return self.api.post(f"{path}/snooze", {"until": None})
        return self.api.post(f"{path}/{step}")

    def state(self) -> str:
        """Return its state by the name of a column."""
        one = self.api.get(f"/v1/conversations/{self.id}").body["conversation"]
        if one["archivedAt"] is not None:
            return "archived"
        if one["snoozedUntil"] is not None:
            assert one["status"] == "open", one
            return f"snoozed, {one['handledBy']}"
        return f"{one['status']}, {one['handledBy']}"


# What a teammate or a visitor does, by the name of the trigger: the steps before it, and the step. The conversation
# begins in the agent's hands; a visitor's message is written while the team holds it, so that the agent stays out.
BY_HAND: dict[str, tuple[list[str], str]] = {
    "a visitor's message in an open conversation": (["take-over"], "message"),
    "a visitor's message in a snoozed conversation": (["take-over", "snooze"], "message"),
    "a visitor's message after the conversation was resolved": (["resolve"], "message"),
    "a visitor's message after the conversation was archived": (["archive"], "message"),
    "a teammate replies": ([], "reply"),
    "a teammate replies and takes over": ([], "reply with takeOver"),
    "a teammate replies and reopens": (["resolve"], "reply with reopen"),
    "the team writes to a customer first": (["resolve"], "the team writes first"),
    "the team writes to a customer in an open conversation": ([], "the team writes first"),
    "a teammate takes over": ([], "take-over"),
    "a teammate hands back": (["take-over"], "hand-back"),
    "a conversation is resolved": ([], "resolve"),
    "a conversation is closed": ([], "close"),
    "a conversation is reopened": (["resolve"], "reopen"),
    "a resolved conversation is taken over": (["resolve"], "take-over"),
    "an open conversation is snoozed": ([], "snooze"),
    "a resolved conversation is snoozed": (["resolve"], "snooze"),
    "a snooze is ended": (["snooze"], "snooze with null"),
    "a note is written": ([], "note"),
    "a visitor rates a conversation": (["resolve"], "rating"),
    "a conversation is assigned": ([], "assign"),
    "a conversation is archived": ([], "archive"),
    "a conversation is unarchived": (["archive"], "unarchive"),
    "a transition that changes nothing": (["resolve"], "resolve"),
}
# What happens by itself, or needs an agent: each test of the tables brings it about in its own way.
BY_ITSELF = {
    "a visitor's first message",
    "the agent answers",
    "the agent hands to the team",
    "the agent ends what it finished",
    "auto-resolve resolves a conversation at night",
    "a snooze's time comes",
}
