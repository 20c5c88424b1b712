"""What is set for the chat mirror, and the channels of a workspace."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class Mode(StrEnum):
    """Which way messages travel."""

    ALERTS = "alerts"
    TWO_WAY = "two_way"


class MirrorSettings(FrozenRecord, kw_only=True):
    """What is set for the chat mirror.

    channel_id  Slack's id of the channel, which a rename keeps; `channel` is its name when it was chosen
    team        the workspace that the channel is in
    since       from when (ms) what is written goes to the channel
    problem     why nothing arrives there
    """

    channel: str | None = None
    channel_id: str | None = None
    team: str | None = None
    enabled: bool = False
    mode: Mode = Mode.ALERTS
    since: int = 0
    problem: str | None = None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            channel=item.get("channel"),
            channel_id=item.get("channelId"),
            team=item.get("team"),
            enabled=bool(item.get("enabled", False)),
            mode=Mode(item.get("mode", Mode.ALERTS)),
            since=int(item.get("since", 0)),
            problem=item.get("problem"),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "channel": self.channel,
            "channelId": self.channel_id,
            "team": self.team,
            "enabled": self.enabled,
            "mode": self.mode.value,
            "since": self.since,
            "problem": self.problem,
        }


class Channel(FrozenRecord, kw_only=True):
    """A channel of a workspace that the bot can see: any public one, and private ones to which it was invited."""

    organization: str
    team: str
    id: str
    name: str

    @property
    def key(self) -> keys.MirrorChannel:
        """The key of its item."""
        return keys.MirrorChannel(self.organization, self.team, self.name)

    @classmethod
    def from_item(cls, organization: str, team: str, item: Item) -> Self:
        """Read a channel's item."""
        return cls(
            organization=organization,
            team=team,
            id=item["id"],
            name=item["name"],
        )

    def to_item(self) -> Item:
        """Return the channel's item."""
        return {
            **self.key.attributes(),
            "id": self.id,
            "name": self.name,
        }


class MirroredThread(FrozenRecord, kw_only=True):
    """A thread of a conversation. `thread` is the time stamp of its first message; None before that is posted."""

    key: keys.MirroredConversation
    thread: str | None
