"""Settings of the chat community, channels and roles of a server, and what it shows of conversations."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from helpdesk.integrations.chat import ChatRecord
from helpdesk.platform.record import Record
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class CommunitySettings(ChatRecord, kw_only=True):
    """Settings of the chat community. Alerts appear in the channel.

    role   the name of the role that alerts mention, when it was chosen; `role_id` stays the same when it is renamed
    asked  whether anyone has asked in the server, so that answers go there
    """

    role: str | None = None
    role_id: str | None = None
    asked: bool = False

    @property
    def follows(self) -> bool:
        """Whether events of conversations are jobs for the app."""
        return self.enabled or self.asked

    def within(self, account_id: str) -> "CommunitySettings":
        """Return the settings as they are in a server: those of another one don't count."""
        return self if self.account_id == account_id else CommunitySettings()

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            channel=item.get("channel"),
            channel_id=item.get("channelId"),
            role=item.get("role"),
            role_id=item.get("roleId"),
            account_id=item.get("server"),
            enabled=bool(item.get("enabled", False)),
            since=int(item.get("since", 0)),
            asked=bool(item.get("asked", False)),
            problem=item.get("problem"),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "channel": self.channel,
            "channelId": self.channel_id,
            "role": self.role,
            "roleId": self.role_id,
            "server": self.account_id,
            "enabled": self.enabled,
            "since": self.since,
            "asked": self.asked,
            "problem": self.problem,
        }


class Named(Record):
    """A channel or role of a server. `mentionable` is whether a mention of the role notifies its members."""

    id: str
    name: str
    mentionable: bool = True

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read an element of the directory's item."""
        return cls(item["id"], item["name"], item["mentionable"])

    def to_item(self) -> Item:
        """Return an element of the directory's item."""
        return {"id": self.id, "name": self.name, "mentionable": self.mentionable}


class Directory(Record, kw_only=True):
    """The channels and roles of a server, and when they were listed (ms); None before the first time."""

    channels: tuple[Named, ...] = ()
    roles: tuple[Named, ...] = ()
    listed_at: int | None = None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read a directory's item, which may be empty."""
        return cls(
            channels=tuple(Named.from_item(each) for each in item.get("channels", [])),
            roles=tuple(Named.from_item(each) for each in item.get("roles", [])),
            listed_at=item.get("listedAt"),
        )


class FeedKind(StrEnum):
    """What is shown."""

    ANSWERS = "answers"
    ALERTS = "alerts"


class Feed(Record, kw_only=True):
    """What a channel shows of a conversation.

    channel   where it appears: a thread, or a channel in which no thread can be
    asker     whom answers mention; None for alerts
    answers   the message that answers are replies to, where they have no thread
    cursor    the newest id that was posted: of a message, or for alerts of an approval
    part      how many parts of the next message are there
    state     the state of the conversation that was posted last
    posting   what was about to be posted, and when (ms); None if it is known to be there
    slot_at   the instant (ms) that the channel gave it for the next message; None if it has none
    """

    organization: str
    conversation_id: str
    server: str
    kind: FeedKind
    channel: str
    asker: str | None = None
    answers: str | None = None
    cursor: str = "-"
    part: int = 0
    state: str = ""
    posting: str | None = None
    posting_at: int = 0
    slot_at: int | None = None
    version: int = 0

    @property
    def key(self) -> keys.CommunityFeed:
        """The key of its item."""
        return keys.CommunityFeed(self.organization, self.conversation_id, self.server, self.kind.value)

    @classmethod
    def from_item(cls, key: keys.CommunityFeed, item: Item) -> Self:
        """Read a feed's item."""
        return cls(
            organization=key.organization,
            conversation_id=key.conversation_id,
            server=key.server,
            kind=FeedKind(key.kind),
            channel=item["channel"],
            asker=item["asker"],
            answers=item["answers"],
            cursor=item["cursor"],
            part=item["part"],
            state=item["state"],
            posting=item["posting"],
            posting_at=item["postingAt"],
            slot_at=item["slotAt"],
            version=item["version"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the feed's item, without its key."""
        return {
            "channel": self.channel,
            "asker": self.asker,
            "answers": self.answers,
            "cursor": self.cursor,
            "part": self.part,
            "state": self.state,
            "posting": self.posting,
            "postingAt": self.posting_at,
            "slotAt": self.slot_at,
            "version": self.version,
        }
