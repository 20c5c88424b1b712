"""Slack, as far as the chat mirror asks it: workspaces with channels, people and threads; events and clicks."""

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from scripts.services import chatmirror_pages as pages
from scripts.services.server import Asked, Said

SIGNING_SECRET = "a secret that Slack and the app share"
SCOPES = (
    "channels:history,channels:join,channels:read,chat:write,groups:history,groups:read,"
    "users:read,users:read.email"
)
APP_ID = "A0KRD7HC3"
_VERIFICATION_TOKEN = "a verification token"
"""What showed who sends before Slack signed."""


def credentials() -> dict[str, str]:
    """Return what an operator enters with `scripts.admin set-app chatmirror`."""
    return {"client_id": "1.2", "client_secret": "a client secret", "signing_secret": SIGNING_SECRET}


@dataclass
class Channel:
    """A channel with its messages, oldest first."""

    id: str
    name: str
    private: bool = False
    archived: bool = False
    members: set[str] = field(default_factory=set)
    keeps_out: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    ephemeral: list[dict[str, Any]] = field(default_factory=list)

    def texts(self) -> list[str]:
        """Return the texts of its messages."""
        return [each["text"] for each in self.messages]


@dataclass
class Workspace:
    """A workspace in which the app can be installed."""

    id: str
    name: str
    bot: str
    channels: dict[str, Channel] = field(default_factory=dict)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    posts_at: list[float] = field(default_factory=list)

    def named(self, name: str) -> Channel:
        """Return the channel with a name."""
        return next(each for each in self.channels.values() if each.name == name)


class ChatMirror:
    """Slack. Tests change its state; `event` and `click` return what it would send."""

    hosts = frozenset({"slack.com"})

    def __init__(self) -> None:
        self.workspaces: dict[str, Workspace] = {}
        self.codes: dict[str, tuple[str, str]] = {}
        self.tokens: dict[str, str] = {}
        self.revoked: set[str] = set()
        self.page = 1_000
        self.scopes = SCOPES
        self.clock: Callable[[], float] = time.time
        self._number = 0
        self._stamped = 0
        # A service names no two requests alike, and neither do two stand-ins, one after the other.
        self._sends = uuid.uuid4().hex[:8]

    def _next(self) -> int:
        self._number += 1
        return self._number

    def workspace(self, name: str, *channels: str) -> Workspace:
        """Make a workspace with these channels."""
        number = self._next()
        made = Workspace(f"T{number:04d}", name, f"U{number:04d}BOT")
        self.workspaces[made.id] = made
        for each in channels:
            self.channel(made, each)
        return made

    def channel(self, workspace: Workspace, name: str, **how: Any) -> Channel:
        """Add a channel."""
        made = Channel(f"C{self._next():04d}", name, **how)
        workspace.channels[made.id] = made
        return made

    def person(self, workspace: Workspace, name: str, email: str, *, bot: bool = False, **may: bool) -> str:
        """Add a person; return their id."""
        user = f"U{self._next():04d}"
        workspace.people[user] = {
            "id": user,
            "team_id": workspace.id,
            "name": name.casefold().replace(" ", "."),
            "real_name": name,
            "deleted": False,
            "is_bot": bot,
            "is_email_confirmed": True,
            "profile": {"real_name": name, "display_name": name, "email": email},
            **may,
        }
        return user

    def code_for(self, workspace: Workspace, person: str = "") -> str:
        """Return the code that Slack gives to a person who installed the app: an admin, unless given."""
        code = f"code-{self._next()}"
        person = person or self.person(workspace, "Ada", "ada@slack.example", is_admin=True)
        self.codes[code] = (workspace.id, person)
        return code

    def token_for(self, workspace: Workspace) -> str:
        """Return a token of the bot in a workspace."""
        token = f"xoxb-{workspace.id}-{self._next()}"
        self.tokens[token] = workspace.id
        return token

    def is_installed(self, workspace: Workspace) -> bool:
        """Return whether the app is in a workspace."""
        return any(team == workspace.id for token, team in self.tokens.items() if token not in self.revoked)

    def revoke(self, workspace: Workspace) -> None:
        """Remove the app from a workspace."""
        self.revoked |= {token for token, team in self.tokens.items() if team == workspace.id}

    # ------------------------------------------------------------------------------------------------- what it sends

    def event(
        self, workspace: Workspace, event: Mapping[str, Any], *, event_id: str = "", at: float | None = None
    ) -> tuple[dict[str, str], str]:
        """Return the headers and the body with which Slack sends an event."""
        at = self.clock() if at is None else at
        envelope = {
            "token": _VERIFICATION_TOKEN,
            "team_id": workspace.id,
            "api_app_id": APP_ID,
            "event": event,
            "type": "event_callback",
            "event_id": event_id or f"Ev{self._sends}{self._next():08d}",
            "event_time": int(at),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": workspace.id,
                    "user_id": workspace.bot,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
        }
        return self.signed(json.dumps(envelope), "application/json", at)

    def say(
        self, workspace: Workspace, channel: Channel, thread: str, user: str, text: str, **more: Any
    ) -> tuple[dict[str, str], str]:
        """Let a person write in a thread; return what Slack sends about it."""
        message = {
            "type": "message",
            "user": user,
            "text": text,
            "ts": self.ts(),
            "thread_ts": thread,
            **more,
        }
        channel.messages.append(message)
        return self.said(workspace, channel, message)

    def said(
        self, workspace: Workspace, channel: Channel, message: Mapping[str, Any]
    ) -> tuple[dict[str, str], str]:
        """Return what Slack sends about a message that a person wrote."""
        kind = "group" if channel.private else "channel"
        return self.event(
            workspace, {**message, "channel": channel.id, "channel_type": kind, "event_ts": message["ts"]}
        )

    def click(
        self, workspace: Workspace, channel: Channel, message: Mapping[str, Any], user: str, action: str
    ) -> tuple[dict[str, str], str]:
        """Return what Slack sends when a person clicks a button of a message."""
        buttons = [
            element
            for block in message["blocks"]
            if block["type"] == "actions"
            for element in block["elements"]
        ]
        button = next(each for each in buttons if each["action_id"] == action)
        pressed = {name: button[name] for name in ("type", "action_id", "text", "value")}
        payload = {
            "type": "block_actions",
            "team": {"id": workspace.id, "domain": workspace.name.casefold()},
            "user": {"id": user, "username": user.casefold(), "team_id": workspace.id},
            "api_app_id": APP_ID,
            "token": _VERIFICATION_TOKEN,
            "container": {
                "type": "message",
                "message_ts": message["ts"],
                "channel_id": channel.id,
                "is_ephemeral": False,
                **({"thread_ts": message["thread_ts"]} if "thread_ts" in message else {}),
            },
            "trigger_id": f"{self._next()}.{self._sends}",
            "channel": {"id": channel.id, "name": channel.name},
            "message": {**message, "type": "message"},
            "is_enterprise_install": False,
            "response_url": f"https://hooks.slack.com/actions/{workspace.id}/1/once",
            "actions": [{**pressed, "block_id": "b", "action_ts": self.ts()}],
        }
        return self.signed(
            urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded", self.clock()
        )

    def signed(
        self, body: str, content_type: str, at: float, secret: str = SIGNING_SECRET
    ) -> tuple[dict[str, str], str]:
        """Return the headers with which Slack signs a body at a time, and the body."""
        mac = hmac.new(secret.encode(), f"v0:{int(at)}:{body}".encode(), hashlib.sha256).hexdigest()
        return {
            "content-type": content_type,
            "x-slack-request-timestamp": str(int(at)),
            "x-slack-signature": f"v0={mac}",
            "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        }, body

    # ---------------------------------------------------------------------------------------------- what it answers

    def answer(self, asked: Asked) -> Said:
        """Answer a call of the Web API."""
        method = asked.path.removeprefix("/api/")
        if method == "oauth.v2.access":
            return self._exchange(asked)
        given = dict(asked.query) if asked.method == "GET" else asked.json
        team = self.tokens.get(asked.bearer)
        if team is None:
            return _error("not_authed" if not asked.bearer else "invalid_auth")
        if asked.bearer in self.revoked:
            return _error("account_inactive")
        function = _METHODS.get(method)
        return _error("unknown_method") if function is None else function(self, self.workspaces[team], given)

    def ts(self) -> str:
        """Return the time stamp of now, which no other has."""
        self._stamped = max(round(self.clock() * 1_000_000), self._stamped + 1)
        return f"{self._stamped // 1_000_000}.{self._stamped % 1_000_000:06d}"

    def _exchange(self, asked: Asked) -> Said:
        form, known = asked.form, credentials()
        if form.get("client_secret") != known["client_secret"]:
            return _error("bad_client_secret")
        # Slack takes https alone; on a laptop the way back is to the local stack.
        if not form.get("redirect_uri", "").startswith(("https://", "http://127.0.0.1:")):
            return _error("bad_redirect_uri")
        if form.get("code") not in self.codes:
            return _error("invalid_code")
        team, person = self.codes.pop(form["code"])
        workspace = self.workspaces[team]
        return _ok(
            app_id=APP_ID,
            authed_user={"id": person},
            scope=self.scopes,
            token_type="bot",
            access_token=self.token_for(workspace),
            bot_user_id=workspace.bot,
            team={"id": team, "name": workspace.name},
            enterprise=None,
            is_enterprise_install=False,
        )

    def _list(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        types = given.get("types", "public_channel").split(",")
        seen = [
            each
            for each in sorted(workspace.channels.values(), key=lambda one: one.id)
            if not (each.archived and given.get("exclude_archived") == "true")
            and (("private_channel" in types and workspace.bot in each.members) if each.private else True)
        ]
        begin = int(given.get("cursor") or 0)
        size = min(self.page, int(given.get("limit", 100)))
        more = str(begin + size) if begin + size < len(seen) else ""
        rows = [
            {
                "id": each.id,
                "name": each.name,
                "is_channel": not each.private,
                "is_group": each.private,
                "is_im": False,
                "created": 1_449_252_889,
                "is_archived": each.archived,
                "is_private": each.private,
                "is_member": workspace.bot in each.members,
                "num_members": len(each.members),
            }
            for each in seen[begin : begin + size]
        ]
        return _ok(channels=rows, response_metadata={"next_cursor": more})

    def _join(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        channel = workspace.channels.get(given["channel"])
        if channel is None:
            return _error("channel_not_found")
        if channel.private:
            return _error("method_not_supported_for_channel_type")
        if channel.archived:
            return _error("is_archived")
        if channel.keeps_out:
            return _error("restricted_action")
        channel.members.add(workspace.bot)
        return _ok(channel={"id": channel.id, "name": channel.name})

    def _post(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        channel = workspace.channels.get(given["channel"])
        if channel is None:
            return _error("channel_not_found")
        if channel.archived:
            return _error("is_archived")
        if workspace.bot not in channel.members:
            return _error("not_in_channel")
        if not given.get("text") and not given.get("blocks"):
            return _error("no_text")
        thread = given.get("thread_ts")
        if thread is not None and all(each["ts"] != thread for each in channel.messages):
            return _error("thread_not_found")
        message = {
            "type": "message",
            "user": workspace.bot,
            "bot_id": "B1",
            "app_id": APP_ID,
            "text": given.get("text", ""),
            "ts": self.ts(),
            **{name: given[name] for name in ("thread_ts", "blocks", "metadata") if name in given},
        }
        channel.messages.append(message)
        workspace.posts_at.append(self.clock())
        return _ok(channel=channel.id, ts=message["ts"], message=message)

    def _ephemeral(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        channel = workspace.channels.get(given["channel"])
        if channel is None:
            return _error("channel_not_found")
        channel.ephemeral.append(dict(given))
        return _ok(message_ts=self.ts())

    def _history(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        channel = workspace.channels.get(given["channel"])
        if channel is None:
            return _error("channel_not_found")
        return _ok(
            **pages.page([each for each in channel.messages if "thread_ts" not in each], given, self.page)
        )

    def _replies(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        channel, thread = workspace.channels.get(given["channel"]), given["ts"]
        if channel is None:
            return _error("channel_not_found")
        found = [each for each in channel.messages if thread in {each["ts"], each.get("thread_ts")}]
        if not found:
            return _error("thread_not_found")
        return _ok(**pages.page(found, given, self.page, always=thread))

    def _user(self, workspace: Workspace, given: Mapping[str, Any]) -> Said:
        found = workspace.people.get(given["user"])
        return _error("user_not_found") if found is None else _ok(user=found)

    def _revoke(self, workspace: Workspace, _given: Mapping[str, Any]) -> Said:
        self.revoke(workspace)
        return _ok()


def _ok(**said: Any) -> Said:
    return Said(200, {"ok": True, **said})


def _error(code: str) -> Said:
    return Said(200, {"ok": False, "error": code})


_METHODS: dict[str, Callable[[ChatMirror, Workspace, Mapping[str, Any]], Said]] = {
    "auth.revoke": ChatMirror._revoke,
    "chat.postEphemeral": ChatMirror._ephemeral,
    "chat.postMessage": ChatMirror._post,
    "conversations.history": ChatMirror._history,
    "conversations.join": ChatMirror._join,
    "conversations.list": ChatMirror._list,
    "conversations.replies": ChatMirror._replies,
    "users.info": ChatMirror._user,
}
