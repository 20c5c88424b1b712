"""Linear's GraphQL API: what is asked is checked and executed against Linear's own schema."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema

from scripts.services.linear_schema import WRITTEN
from scripts.services.workspaces import Workspace, page_of

_NO_STATE = "Could not find referenced WorkflowState."


@cache
def schema() -> GraphQLSchema:
    """Return the part of Linear's schema that is used."""
    return build_schema(WRITTEN.read_text(encoding="utf-8"))


class Root:
    """The fields of Query and Mutation, as graphql-core calls them."""

    def __init__(self, workspace: Workspace, refuses: Mapping[str, str], now: Callable[[], str]) -> None:
        self._workspace, self._refuses, self._now = workspace, refuses, now

    def viewer(self, _info: Any) -> dict[str, Any]:
        """Return the app."""
        return {"id": self._workspace.bot, "name": "Helpdesk"}

    def organization(self, _info: Any) -> dict[str, Any]:
        """Return the workspace."""
        return {"id": self._workspace.id, "name": self._workspace.name, "urlKey": "acme"}

    def teams(self, _info: Any, **page: Any) -> dict[str, Any]:
        """Return a page of teams."""
        return page_of([each.shape() for each in self._workspace.teams.values()], **page)

    def issues(self, _info: Any, filter: Any = None, **page: Any) -> dict[str, Any]:  # noqa: A002 - Linear's name
        """Return a page of the issues with ids."""
        wanted = filter["id"]["in"]
        found = [each for each in self._workspace.issues.values() if each["id"] in wanted]
        return page_of(found, **page)

    def issue(self, _info: Any, id: str) -> dict[str, Any]:  # noqa: A002 - Linear's name
        """Return an issue by its id or identifier."""
        for each in self._workspace.issues.values():
            if id in {each["id"], each["identifier"]}:
                return each
        raise error("Entity not found: Issue", "invalid input", "Could not find referenced Issue.")

    def issueCreate(self, _info: Any, input: Any) -> dict[str, Any]:  # noqa: A002, N802 - Linear's names
        """Open an issue under an id that is new."""
        self._require("issueCreate")
        team = self._workspace.teams.get(input["teamId"])
        if team is None:
            raise error("Entity not found: Team", "invalid input", "Could not find referenced Team.")
        if input["id"] in self._workspace.issues:
            raise error("Entity already exists", "invalid input", "An issue with this id exists.")
        states = {each["id"]: each for each in team.states.values()}
        if input.get("stateId", "") not in {"", *states}:
            raise error("Entity not found: WorkflowState", "invalid input", _NO_STATE)
        state = states[input["stateId"]] if "stateId" in input else team.states[team.default]
        given = {name: input[name] for name in ("title", "description", "priority") if name in input}
        made = self._workspace.put(team, input["id"], given, state, self._now())
        return {"success": True, "issue": made, "lastSyncId": 1}

    def issueUpdate(self, _info: Any, id: str, input: Any) -> dict[str, Any]:  # noqa: A002, N802 - Linear's names
        """Move an issue."""
        self._require("issueUpdate")
        issue = self._workspace.issues[id]
        states = {each["id"]: each for each in self._workspace.teams[issue["team"]["id"]].states.values()}
        if input["stateId"] not in states:
            raise error("Entity not found: WorkflowState", "invalid input", _NO_STATE)
        issue["state"] = states[input["stateId"]]
        issue["updatedAt"] = self._now()
        return {"success": True, "issue": issue, "lastSyncId": 2}

    def _require(self, name: str) -> None:
        words = self._refuses.get(name)
        if words is not None:
            raise error("Argument Validation Error", "invalid input", words)


def error(message: str, kind: str, presentable: str | None = None) -> GraphQLError:
    """Return an error as Linear describes one."""
    extensions = {
        "type": kind,
        "code": "INPUT_ERROR" if presentable else kind.replace(" ", "_").upper(),
        "userError": presentable is not None,
        **({"userPresentableMessage": presentable} if presentable else {}),
    }
    return GraphQLError(message, extensions=extensions)
