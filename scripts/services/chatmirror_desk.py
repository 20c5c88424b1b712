"""Slack's page beside a local stack: a workspace in which a person reads threads, answers and presses buttons."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from scripts.services import chatmirror, markup
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from scripts.services.desks import Outlet
from scripts.services.server import Asked

PEOPLE = (
    ("Demo Owner", "owner@example.com"),
    ("Demo Member", "member@example.com"),
    ("Somebody Else", "somebody@example.com"),
)
"""The first two are people of the demo organization. Slack knows the third alone."""


class ChatMirrorDesk:
    """Slack, with its page."""

    title = "Slack"

    def __init__(self, send: Outlet) -> None:
        self.send = send
        self.service = ChatMirror()
        acme = self.service.workspace("Acme", "general", "support")
        for name, email in PEOPLE:
            self.service.person(acme, name, email)

    def credentials(self) -> Mapping[str, str]:
        """Return what `scripts.admin set-app chatmirror` takes."""
        return chatmirror.credentials()

    def consent(self, asked: Asked, _root: str) -> list[tuple[str, str]] | None:
        """Return the workspaces in which the app can be installed."""
        if asked.path != "/oauth/v2/authorize":
            return None
        links = []
        for each in self.service.workspaces.values():
            back = {"code": self.service.code_for(each), "state": asked.query["state"]}
            links.append((f"Allow in {each.name}", f"{asked.query['redirect_uri']}?{urlencode(back)}"))
        return links

    def shown(self) -> Mapping[str, Any]:
        """Return the channels with their threads, and who can speak."""
        workspace = self._workspace
        return {
            "workspace": workspace,
            "installed": self.service.is_installed(workspace),
            "channels": [
                (
                    each,
                    [(first, _answers(each, first)) for first in each.messages if "thread_ts" not in first],
                )
                for each in workspace.channels.values()
            ],
            "people": workspace.people,
            "buttons": _buttons,
            "written": lambda text: markup.of_slack(text, _names(workspace)),
        }

    def act(self, what: str, given: Mapping[str, str], _files: Mapping[str, bytes]) -> None:
        """Do what a form asks for. Raises KeyError, ValueError, StopIteration."""
        workspace = self._workspace
        if what == "add-channel":
            channel = self.service.channel(workspace, given["name"].strip().removeprefix("#"))
            self._tell(lambda: hooks.created(self.service, workspace, channel))
            return
        if what == "uninstall":
            self._tell(lambda: hooks.uninstalled(self.service, workspace))
            self.service.revoke(workspace)
            return
        channel = workspace.channels[given["channel"]]
        if what == "remove-bot":
            channel.members.discard(workspace.bot)
            self._tell(lambda: hooks.left(self.service, workspace, channel, workspace.bot))
            return
        if what == "invite-bot":
            channel.members.add(workspace.bot)
            self._tell(lambda: hooks.joined(self.service, workspace, channel, workspace.bot))
            return
        user = given["user"]
        message = _message(channel, given["message"])
        if what == "answer":
            text = markup.as_typed(given["text"])
            text = f"<@{workspace.bot}> {text}" if "mention" in given else text
            said = self.service.say(workspace, channel, message["ts"], user, text)
            self._tell(lambda: said)
        elif what == "press":
            self._tell(lambda: self.service.click(workspace, channel, message, user, given["button"]))
        else:
            raise ValueError(what)

    @property
    def _workspace(self) -> Workspace:
        return next(iter(self.service.workspaces.values()))

    def _tell(self, sent: Callable[[], hooks.Sent]) -> None:
        """Send what happened, as Slack does only where the app is installed."""
        if self.service.is_installed(self._workspace):
            self.send(*sent())


def _names(workspace: Workspace) -> dict[str, str]:
    people = {f"@{id_}": str(person["real_name"]) for id_, person in workspace.people.items()}
    return {f"@{workspace.bot}": "helpdesk", **people}


def _message(channel: Channel, ts: str) -> dict[str, Any]:
    return next(each for each in channel.messages if each["ts"] == ts)


def _answers(channel: Channel, first: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [each for each in channel.messages if each.get("thread_ts") == first["ts"]]


def _buttons(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    blocks = message.get("blocks") or []
    return [button for block in blocks if block["type"] == "actions" for button in block["elements"]]
