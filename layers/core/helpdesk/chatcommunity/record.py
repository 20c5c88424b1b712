"""What is set for the chat community, and the channels and roles of a server."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage.table import Item


class CommunitySettings(FrozenRecord, kw_only=True):
    """What is set for the chat community.

    channel, role  their names when they were chosen; the ids stay the same when Discord renames them
    server     the server that they are of
    since      from when (ms) what happens is alerted
    asked      whether anyone has asked in the server, so that answers are to go there
    problem    why no alert arrives
    """

    channel: str | None = None
    channel_id: str | None = None
    role: str | None = None
    role_id: str | None = None
    server: str | None = None
    enabled: bool = False
    since: int = 0
    asked: bool = False
    problem: str | None = None

    @property
    def follows(self) -> bool:
        """Whether events of conversations are of interest."""
        return self.enabled or self.asked

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            channel=item.get("channel"),
            channel_id=item.get("channelId"),
            role=item.get("role"),
            role_id=item.get("roleId"),
            server=item.get("server"),
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
            "server": self.server,
            "enabled": self.enabled,
            "since": self.since,
            "asked": self.asked,
            "problem": self.problem,
        }


class Named(FrozenRecord):
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


class Directory(FrozenRecord, kw_only=True):
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
