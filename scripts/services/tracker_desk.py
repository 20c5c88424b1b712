"""Linear's page beside a local stack: a workspace in which a person opens, moves and deletes issues."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from scripts.services import tracker
from scripts.services.desks import Outlet
from scripts.services.server import Asked
from scripts.services.tracker import Tracker
from scripts.services.workspaces import Workspace


class TrackerDesk:
    """Linear, with its page."""

    title = "Linear"

    def __init__(self, send: Outlet) -> None:
        self.send = send
        self.service = Tracker()
        self.service.workspace("Acme").team("OPS", "Operations")

    def credentials(self) -> Mapping[str, str]:
        """Return what `scripts.admin set-app tracker` takes."""
        return tracker.credentials()

    def consent(self, asked: Asked, _root: str) -> list[tuple[str, str]] | None:
        """Return the workspaces in which the app can be allowed."""
        if (asked.host, asked.path) != ("linear.app", "/oauth/authorize"):
            return None
        links = []
        for each in self.service.workspaces.values():
            code = self.service.code_for(each, asked.query["code_challenge"])
            back = {"code": code, "state": asked.query["state"]}
            links.append((f"Authorize in {each.name}", f"{asked.query['redirect_uri']}?{urlencode(back)}"))
        return links

    def shown(self) -> Mapping[str, Any]:
        """Return the teams with their issues."""
        workspace = self._workspace
        return {
            "workspace": workspace,
            "allowed": self.service.is_allowed(workspace),
            "teams": [
                (
                    team,
                    [
                        each
                        for each in workspace.issues.values()
                        if each["team"]["id"] == team.id and not each["trashed"]
                    ],
                )
                for team in workspace.teams.values()
            ],
        }

    def act(self, what: str, given: Mapping[str, str], _files: Mapping[str, bytes]) -> None:
        """Do what a form asks for. Raises KeyError, ValueError, StopIteration."""
        workspace = self._workspace
        match what:
            case "open":
                self.service.add(workspace, given["title"], given["team"])
            case "move":
                self.send(*self.service.move(workspace, given["issue"], given["state"]))
            case "delete":
                self.send(*self.service.delete(workspace, given["issue"]))
            case "remove-app":
                self.service.revoke(workspace)
                self.send(*self.service.revoked(workspace))
            case _:
                raise ValueError(what)

    @property
    def _workspace(self) -> Workspace:
        return next(iter(self.service.workspaces.values()))
