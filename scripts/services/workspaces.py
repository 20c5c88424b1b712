"""Workspaces of Linear: teams with their states, and issues."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STATES = {
    "Triage": "triage",
    "Backlog": "backlog",
    "Todo": "unstarted",
    "In Progress": "started",
    "In Review": "started",
    "Done": "completed",
    "Canceled": "canceled",
    "Duplicate": "duplicate",
}
DEFAULT = "Backlog"


@dataclass
class Team:
    """A team, with its states by name and its issues by id."""

    id: str
    key: str
    name: str
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    default: str = DEFAULT

    def shape(self) -> dict[str, Any]:
        """Return the team as Linear shows it."""
        nodes = list(self.states.values())
        return {"id": self.id, "key": self.key, "name": self.name, "states": page_of(nodes)}


@dataclass
class Workspace:
    """A workspace in which the app can be allowed."""

    id: str
    name: str
    bot: str
    teams: dict[str, Team] = field(default_factory=dict)
    issues: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def team(self, key: str, name: str, states: Mapping[str, str] = STATES) -> Team:
        """Add a team."""
        made = Team(
            str(uuid.uuid4()), key, name, default=DEFAULT if DEFAULT in states else next(iter(states))
        )
        for position, (each, kind) in enumerate(states.items()):
            made.states[each] = {"id": str(uuid.uuid4()), "name": each, "type": kind, "position": position}
        self.teams[made.id] = made
        return made

    def shown(self) -> dict[str, tuple[str, str]]:
        """Return its issues by identifier, as title and name of the state."""
        return {each["identifier"]: (each["title"], each["state"]["name"]) for each in self.issues.values()}

    def issue(self, identifier: str) -> dict[str, Any]:
        """Return an issue."""
        return next(each for each in self.issues.values() if each["identifier"] == identifier)

    def put(
        self, team: Team, issue_id: str, given: Mapping[str, Any], state: Mapping[str, Any], now: str
    ) -> dict[str, Any]:
        """Open an issue."""
        self.issues[issue_id] = {
            "description": None,
            "priority": 0,
            **given,
            "id": issue_id,
            "state": state,
            "team": team.shape(),
            "createdAt": now,
            "updatedAt": now,
            "archivedAt": None,
            "trashed": None,
            **self.named(team),
        }
        return self.issues[issue_id]

    def named(self, team: Team) -> dict[str, Any]:
        """Return what the next issue of a team is called."""
        number = self.numbers[team.key] = self.numbers.get(team.key, 0) + 1
        identifier = f"{team.key}-{number}"
        return {
            "number": number,
            "identifier": identifier,
            "url": f"https://linear.app/acme/issue/{identifier}/a-title",
        }


def page_of(nodes: list[Any], first: int = 50, after: str | None = None, **_: Any) -> dict[str, Any]:
    """Return a page of a list, as Linear shows it."""
    start = 0 if after is None else int(after)
    end = start + first
    more = end < len(nodes)
    return {
        "nodes": nodes[start:end],
        "pageInfo": {
            "hasNextPage": more,
            "hasPreviousPage": start > 0,
            "startCursor": str(start),
            "endCursor": str(end) if more else None,
        },
    }
