"""Discord, as the chat community asks it: servers with channels, roles and threads; commands that people type."""

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from scripts.services.community import (
    ANNOUNCEMENT,
    BEGIN_THREADS,
    EVERYTHING,
    SEND,
    SEND_IN_THREADS,
    TEXT,
    THREAD,
    VIEW,
    Channel,
    Response,
    Server,
    message_shape,
    role_shape,
)
from scripts.services.server import Asked, Said

CLIENT_ID = "1100000000000000001"
BOT_TOKEN = "a token of the bot"
CLIENT_SECRET = "a client secret"
NONCES_SECONDS = 180.0
"""How long a nonce is remembered. Discord says "the past few minutes"."""
_EPOCH_MS = 1_420_070_400_000
_SUPPRESS_EMBEDS = 1 << 2


@cache
def signing_key() -> Ed25519PrivateKey:
    """Return the key with which Discord signs. Its seed is fixed, so that every process has the same."""
    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def credentials() -> dict[str, str]:
    """Return what an operator enters with `scripts.admin set-app chatcommunity`."""
    return {
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "public_key": signing_key().public_key().public_bytes_raw().hex(),
        "bot_token": BOT_TOKEN,
    }


class ChatCommunity:
    """Discord. Tests change its state; `command` returns what it would send."""

    hosts = frozenset({"discord.com"})

    def __init__(self) -> None:
        self.servers: dict[str, Server] = {}
        self.codes: dict[str, str] = {}
        self.responses: dict[str, Response] = {}
        self.bot_token = BOT_TOKEN
        self.nonces: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
        self.clock: Callable[[], float] = time.time
        self._number = 0

    def _next(self) -> int:
        self._number += 1
        return self._number

    # ------------------------------------------------------------------------------------------------- what there is

    def server(self, name: str, *channels: str, has_bot: bool = True) -> Server:
        """Make a server with these channels; everyone has its first role."""
        made = Server(self.id(), name, has_bot)
        self.servers[made.id] = made
        self.role(made, "@everyone", id_=made.id)
        for each in channels:
            self.channel(made, each)
        return made

    def channel(self, server: Server, name: str, type_: int = TEXT, *, granted: int = EVERYTHING) -> Channel:
        """Add a channel."""
        made = Channel(self.id(), name, type_, granted=granted)
        server.channels[made.id] = made
        return made

    def role(
        self, server: Server, name: str, *, mentionable: bool = True, managed: bool = False, id_: str = ""
    ) -> str:
        """Add a role; return its id."""
        role = role_shape(id_ or self.id(), name, len(server.roles))
        role |= {"mentionable": mentionable, "managed": managed}
        server.roles.append(role)
        return str(role["id"])

    def code_for(self, server: Server) -> str:
        """Return the code that Discord gives to a person who added the bot to a server."""
        code = f"code-{self._next()}"
        self.codes[code] = server.id
        return code

    def id(self) -> str:
        """Return a new id: the time, and a number."""
        return str(((int(self.clock() * 1_000) - _EPOCH_MS) << 22) + self._next() % (1 << 22))

    # ------------------------------------------------------------------------------------------------- what it sends

    def command(
        self,
        server: Server,
        channel: Channel,
        name: str,
        text: str | None = None,
        *,
        user: str = "200000000000000001",
        who: str = "Vera",
        may: int = 0,
        locale: str = "en-US",
        at: float | None = None,
        key: Ed25519PrivateKey | None = None,
    ) -> tuple[dict[str, str], str]:
        """Let a person type a command; return the headers and the body that Discord sends."""
        token, id_ = f"interaction-{self._next()}", self.id()
        message = self._message(channel, CLIENT_ID, "", type_=20)
        self.responses[token] = Response(server, channel, user, self.clock(), name == "close", message)
        options = [] if text is None else [{"type": 3, "name": "question", "value": text}]
        interaction = {
            "id": id_,
            "application_id": CLIENT_ID,
            "type": 2,
            "data": {"id": self.id(), "name": name, "type": 1, "guild_id": server.id, "options": options},
            "guild": {"id": server.id, "locale": "en-US", "features": []},
            "guild_id": server.id,
            "channel": {**self.channel_shape(server, channel), "permissions": str(may)},
            "channel_id": channel.id,
            "member": {
                "user": {
                    "id": user,
                    "username": who.casefold(),
                    "discriminator": "0",
                    "global_name": who,
                    "avatar": "a1b2c3",
                },
                "nick": None,
                "roles": [],
                "joined_at": "2026-01-01T00:00:00+00:00",
                "deaf": False,
                "mute": False,
                "permissions": str(may),
            },
            "token": token,
            "version": 1,
            "app_permissions": str(channel.granted),
            "locale": locale,
            "guild_locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": server.id},
            "context": 0,
            "attachment_size_limit": 10_485_760,
        }
        return self.signed(json.dumps(interaction), at, key)

    def ping(self) -> tuple[dict[str, str], str]:
        """Return what Discord sends to see whether an address answers."""
        return self.signed(
            json.dumps({"id": self.id(), "application_id": CLIENT_ID, "type": 1, "version": 1})
        )

    def signed(
        self, body: str, at: float | None = None, key: Ed25519PrivateKey | None = None
    ) -> tuple[dict[str, str], str]:
        """Return the headers with which Discord signs a body at a time, and the body."""
        sent_at = str(int(self.clock() if at is None else at))
        signature = (key or signing_key()).sign(f"{sent_at}{body}".encode()).hex()
        return {
            "content-type": "application/json",
            "x-signature-ed25519": signature,
            "x-signature-timestamp": sent_at,
            "user-agent": "Discord-Interactions/1.0 (+https://discord.com)",
        }, body

    def response(self, sent: tuple[dict[str, str], str]) -> Response:
        """Return the response to a command that was sent."""
        return self.responses[json.loads(sent[1])["token"]]

    # ---------------------------------------------------------------------------------------------- what it answers

    def answer(self, asked: Asked) -> Said:
        """Answer a request of the API."""
        path = asked.path.removeprefix("/api/v10")
        if (asked.method, path) == ("POST", "/oauth2/token"):
            return self._exchange(asked)
        found = re.fullmatch(r"/webhooks/(\d+)/([^/]+)/messages/@original", path)
        if found:
            return self._fill_in(asked, found[2])
        if asked.headers.get("authorization") != f"Bot {self.bot_token}":
            return error(401, 0, "401: Unauthorized")
        for method, pattern, function in _ROUTES:
            found = re.fullmatch(pattern, path)
            if found and asked.method == method:
                return function(self, asked, *found.groups())
        return error(404, 0, "404: Not Found")

    def channel_shape(self, server: Server, channel: Channel) -> dict[str, Any]:
        """Return a channel as Discord shows it."""
        return {
            "id": channel.id,
            "type": channel.type,
            "flags": 0,
            "guild_id": server.id,
            "name": channel.name,
            "parent_id": channel.parent,
            "position": list(server.channels).index(channel.id),
        }

    def _message(self, channel: Channel, author: str, content: str, *, type_: int = 0) -> dict[str, Any]:
        return message_shape(self.id(), self.clock(), channel, author, content, type_)

    def _exchange(self, asked: Asked) -> Said:
        form = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        pair = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if asked.headers.get("authorization") != f"Basic {pair}":
            return Said(401, {"error": "invalid_client"})
        if (
            not form.get("redirect_uri", "").startswith("http")
            or form.get("grant_type") != "authorization_code"
        ):
            return Said(400, {"error": "invalid_request"})
        server = self.servers.get(self.codes.pop(form.get("code", ""), ""))
        if server is None:
            return Said(400, {"error": "invalid_grant", "error_description": 'Invalid "code" in request.'})
        server.has_bot = True
        return Said(
            200,
            {
                "token_type": "Bearer",
                "access_token": "a token of the person",
                "expires_in": 604_800,
                "refresh_token": "another token of the person",
                "scope": "applications.commands bot identify",
                "guild": {"id": server.id, "name": server.name, "icon": None, "roles": server.roles},
            },
        )

    def _of_server(self, id_: str) -> Server | None:
        found = self.servers.get(id_)
        return found if found is not None and found.has_bot else None

    def _channels(self, _asked: Asked, id_: str) -> Said:
        server = self._of_server(id_)
        if server is None:
            return error(404, 10004, "Unknown Guild")
        shown = [each for each in server.channels.values() if each.type != THREAD and each.granted & VIEW]
        return Said(200, [self.channel_shape(server, each) for each in shown])

    def _roles(self, _asked: Asked, id_: str) -> Said:
        server = self._of_server(id_)
        return error(404, 10004, "Unknown Guild") if server is None else Said(200, server.roles)

    def _commands(self, asked: Asked, _application: str, id_: str) -> Said:
        server = self._of_server(id_)
        if server is None:
            return error(403, 50001, "Missing Access")
        server.commands = [
            {
                **each,
                "id": self.id(),
                "application_id": CLIENT_ID,
                "guild_id": server.id,
                "version": self.id(),
                "default_member_permissions": None,
                "nsfw": False,
            }
            for each in asked.json
        ]
        return Said(200, server.commands)

    def _leave(self, _asked: Asked, id_: str) -> Said:
        server = self._of_server(id_)
        if server is None:
            return error(404, 10004, "Unknown Guild")
        server.has_bot = False
        return Said(204)

    def _place(self, id_: str) -> tuple[Server, Channel] | Said:
        for server in self.servers.values():
            if id_ in server.channels:
                channel = server.channels[id_]
                may = server.has_bot and channel.granted & VIEW
                return (server, channel) if may else error(403, 50001, "Missing Access")
        return error(404, 10003, "Unknown Channel")

    def _post(self, asked: Asked, id_: str) -> Said:
        place = self._place(id_)
        if isinstance(place, Said):
            return place
        _, channel = place
        if not channel.granted & (SEND_IN_THREADS if channel.type == THREAD else SEND):
            return error(403, 50013, "Missing Permissions")
        given = asked.json
        content = given["content"].strip()
        if not content:
            return error(400, 50006, "Cannot send an empty message")
        if len(content) > 2_000:
            return error(400, 50035, "Invalid Form Body")
        seen = self.nonces.get((id_, given["nonce"]))
        if given.get("enforce_nonce") and seen is not None and self.clock() - seen[0] < NONCES_SECONDS:
            return Said(200, seen[1])
        message = {
            **self._message(channel, CLIENT_ID, content),
            "nonce": given["nonce"],
            "flags": given.get("flags", 0),
            "mention_roles": given["allowed_mentions"]["roles"],
        }
        channel.messages.append({**message, "asked": given})
        self.nonces[id_, given["nonce"]] = (self.clock(), message)
        return Said(200, message)

    def _list(self, asked: Asked, id_: str) -> Said:
        place = self._place(id_)
        if isinstance(place, Said):
            return place
        after, limit = int(asked.query.get("after", 0)), int(asked.query.get("limit", 50))
        found = [each for each in place[1].messages if int(each["id"]) > after][:limit]
        return Said(200, [{name: each[name] for name in each if name != "asked"} for each in reversed(found)])

    def _thread(self, asked: Asked, id_: str, message: str) -> Said:
        place = self._place(id_)
        if isinstance(place, Said):
            return place
        server, channel = place
        if channel.type not in {TEXT, ANNOUNCEMENT}:
            return error(400, 50024, "Cannot execute action on this channel type")
        if not channel.granted & BEGIN_THREADS:
            return error(403, 50013, "Missing Permissions")
        if all(each["id"] != message for each in channel.messages):
            return error(404, 10008, "Unknown Message")
        if message in server.channels:
            return error(400, 160004, "A thread has already been created for this message")
        made = Channel(message, asked.json["name"], THREAD, channel.id, channel.granted)
        server.channels[message] = made
        shape = self.channel_shape(server, made)
        del shape["position"]
        metadata = {
            "archived": False,
            "archive_timestamp": datetime.fromtimestamp(self.clock(), UTC).isoformat(),
            "auto_archive_duration": asked.json.get("auto_archive_duration", 1_440),
            "locked": False,
        }
        counts = {"message_count": 0, "member_count": 1, "total_message_sent": 0}
        return Said(201, {**shape, "owner_id": CLIENT_ID, "thread_metadata": metadata, **counts})

    def _fill_in(self, asked: Asked, token: str) -> Said:
        response = self.responses.get(token)
        if response is None or self.clock() - response.at > 15 * 60:
            return error(401, 50027, "Invalid Webhook Token")
        message, content = response.message, asked.json["content"].strip()
        if not 0 < len(content) <= 2_000:
            return error(400, 50035, "Invalid Form Body")
        flags = asked.json.get("flags", 0) & _SUPPRESS_EMBEDS  # no other flag can be edited
        message |= {"content": content, "edited_timestamp": message["timestamp"], "flags": flags}
        if not response.ephemeral and message not in response.channel.messages:
            response.channel.messages.append(message)
        return Said(200, message)


def error(status: int, code: int, said: str) -> Said:
    """Return a refusal of Discord."""
    return Said(status, {"message": said, "code": code})


_ROUTES: list[tuple[str, str, Callable[..., Said]]] = [
    ("GET", r"/guilds/(\d+)/channels", ChatCommunity._channels),
    ("GET", r"/guilds/(\d+)/roles", ChatCommunity._roles),
    ("PUT", r"/applications/(\d+)/guilds/(\d+)/commands", ChatCommunity._commands),
    ("DELETE", r"/users/@me/guilds/(\d+)", ChatCommunity._leave),
    ("POST", r"/channels/(\d+)/messages", ChatCommunity._post),
    ("GET", r"/channels/(\d+)/messages", ChatCommunity._list),
    ("POST", r"/channels/(\d+)/messages/(\d+)/threads", ChatCommunity._thread),
]


def limited(seconds: float) -> Said:
    """Return the refusal of a request too many (Discord, "Rate Limits")."""
    said = {"message": "You are being rate limited.", "code": 0, "retry_after": seconds, "global": False}
    return Said(429, said, headers={"retry-after": str(int(seconds)), "x-ratelimit-scope": "user"})


def asked_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the request with which a message was posted."""
    found: Mapping[str, Any] = message["asked"]
    return found
