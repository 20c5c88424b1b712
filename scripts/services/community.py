"""Servers of Discord as its stand-in has them: channels and threads with their messages, roles, responses."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

TEXT, VOICE, CATEGORY, ANNOUNCEMENT, THREAD, FORUM = 0, 2, 4, 5, 11, 15
VIEW, SEND, MANAGE_THREADS, BEGIN_THREADS, SEND_IN_THREADS = 1 << 10, 1 << 11, 1 << 34, 1 << 35, 1 << 38
EVERYTHING = VIEW | SEND | BEGIN_THREADS | SEND_IN_THREADS


@dataclass
class Channel:
    """A channel or thread with its messages, oldest first. `granted` is what the bot may do in it."""

    id: str
    name: str
    type: int = TEXT
    parent: str | None = None
    granted: int = EVERYTHING
    messages: list[dict[str, Any]] = field(default_factory=list)

    def texts(self) -> list[str]:
        """Return the texts of its messages."""
        return [each["content"] for each in self.messages]


@dataclass
class Server:
    """A server of Discord."""

    id: str
    name: str
    has_bot: bool = True
    channels: dict[str, Channel] = field(default_factory=dict)
    roles: list[dict[str, Any]] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)

    def named(self, name: str) -> Channel:
        """Return the channel or thread with a name."""
        return next(each for each in self.channels.values() if each.name == name)

    def threads(self) -> list[Channel]:
        """Return the threads, oldest first."""
        return [each for each in self.channels.values() if each.type == THREAD]


@dataclass
class Response:
    """The response to a command: who reads it, and the message when it is filled in."""

    server: Server
    channel: Channel
    user: str
    at: float
    ephemeral: bool
    message: dict[str, Any]


def message_shape(
    id_: str, at: float, channel: Channel, author: str, content: str, type_: int
) -> dict[str, Any]:
    """Return a message of a bot as Discord shows it."""
    return {
        "type": type_,
        "content": content,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "timestamp": datetime.fromtimestamp(at, UTC).isoformat(),
        "edited_timestamp": None,
        "flags": 0,
        "components": [],
        "id": id_,
        "channel_id": channel.id,
        "author": {
            "id": author,
            "username": "helpdesk",
            "avatar": None,
            "discriminator": "0000",
            "public_flags": 0,
            "flags": 0,
            "bot": True,
            "global_name": None,
            "primary_guild": None,
        },
        "pinned": False,
        "mention_everyone": False,
        "tts": False,
    }


def role_shape(id_: str, name: str, position: int) -> dict[str, Any]:
    """Return a role as Discord shows it."""
    return {
        "id": id_,
        "name": name,
        "permissions": "0",
        "position": position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": True,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }
