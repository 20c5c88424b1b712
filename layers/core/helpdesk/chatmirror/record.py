"""Settings of the chat mirror, channels of a workspace, and threads of conversations."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from helpdesk.chatmirror.time_stamps import instant_us
from helpdesk.integrations.chat import ChatRecord
from helpdesk.platform.record import Record
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class Mode(StrEnum):
    """Which way messages travel."""

    ALERTS = "alerts"
    TWO_WAY = "two_way"


class MirrorSettings(ChatRecord, kw_only=True):
    """Settings of the chat mirror.

    two_way_since  from when (ms) what people write and press in threads counts
    """

    mode: Mode = Mode.ALERTS
    two_way_since: int = 0

    @property
    def is_two_way(self) -> bool:
        """Whether replies in a thread reach the customer."""
        return self.enabled and self.mode is Mode.TWO_WAY

    def within(self, account_id: str) -> "MirrorSettings":
        """Return the settings as they are in a workspace: a channel of another one doesn't count."""
        return self if self.account_id == account_id else MirrorSettings(mode=self.mode)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            channel=item.get("channel"),
            channel_id=item.get("channelId"),
            account_id=item.get("team"),
            enabled=bool(item.get("enabled", False)),
            mode=Mode(item.get("mode", Mode.ALERTS)),
            since=int(item.get("since", 0)),
            two_way_since=int(item.get("twoWaySince", 0)),
            problem=item.get("problem"),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "channel": self.channel,
            "channelId": self.channel_id,
            "team": self.account_id,
            "enabled": self.enabled,
            "mode": self.mode.value,
            "since": self.since,
            "twoWaySince": self.two_way_since,
            "problem": self.problem,
        }


class Channel(Record, kw_only=True):
    """A channel of a workspace that the bot can see: any public one, and private ones to which it was invited."""

    organization: str
    team: str
    id: str
    name: str
    private: bool

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
            private=item.get(
                "private", True
            ),  # channels that were listed before have none; the next list says
        )

    def to_item(self) -> Item:
        """Return the channel's item."""
        return {
            **self.key.attributes(),
            "id": self.id,
            "name": self.name,
            "private": self.private,
        }


class MirroredThread(Record, kw_only=True):
    """A thread of a conversation. `thread` is the time stamp of its first message; None before that is posted."""

    key: keys.MirroredConversation
    thread: str | None


class Thread(Record, kw_only=True):
    """A conversation's thread in a channel.

    ts        the time stamp of its first message, by which Slack names it; None before that is posted
    messages, lines, approvals  the newest id of each kind that is in it
    posting   what was about to be posted when the last claim was made, and when (ms); None if it is known to be there
    slot_at   the instant (ms) that the channel gave it for the next message; None if it has none
    claimed_until  until when (ms) a worker writes in it
    """

    organization: str
    conversation_id: str
    team: str
    channel: str
    ts: str | None = None
    messages: str = "-"
    lines: str = "-"
    approvals: str = "-"
    posting: str | None = None
    posting_at: int = 0
    slot_at: int | None = None
    claimed_until: int = 0
    version: int = 0

    @property
    def key(self) -> keys.MirroredConversation:
        """The key of its item."""
        return keys.MirroredConversation(self.organization, self.conversation_id, self.team, self.channel)

    @classmethod
    def from_item(cls, key: keys.MirroredConversation, item: Item) -> Self:
        """Read a thread's item."""
        return cls(
            organization=key.organization,
            conversation_id=key.conversation_id,
            team=key.team,
            channel=key.channel,
            ts=item["ts"],
            messages=item["messages"],
            lines=item["lines"],
            approvals=item["approvals"],
            posting=item["posting"],
            posting_at=item["postingAt"],
            slot_at=item["slotAt"],
            claimed_until=item["claimedUntil"],
            version=item["version"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the thread's item, without its key."""
        return {
            "ts": self.ts,
            "messages": self.messages,
            "lines": self.lines,
            "approvals": self.approvals,
            "posting": self.posting,
            "postingAt": self.posting_at,
            "slotAt": self.slot_at,
            "claimedUntil": self.claimed_until,
            "version": self.version,
        }


class Taken(Record):
    """Who pressed *Take over* in a thread last: the member, and the person in Slack.

    state_changes  how often the conversation's state had changed when it was the team's by that
    at, until      the time stamps of Slack between which what they write is a reply; None without an end
    pressed_at     the time stamp of their latest press; they may press again
    """

    member: str
    person: str
    state_changes: int
    at: str
    pressed_at: str
    until: str | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attributes of a thread's item."""
        return cls(
            member=item["takenBy"],
            person=item["takenAs"],
            state_changes=item["takenFor"],
            at=item["takenAt"],
            pressed_at=item["takenPress"],
            until=item.get("takenUntil"),
        )

    def to_item(self) -> Item:
        """Return the attributes of a thread's item."""
        return {
            "takenBy": self.member,
            "takenAs": self.person,
            "takenFor": self.state_changes,
            "takenAt": self.at,
            "takenPress": self.pressed_at,
        }

    def covers(self, person: str, message: str) -> bool:
        """Return whether a person wrote a message, by its time stamp, after they took over and before that ended."""
        at = instant_us(message)
        is_before_the_end = self.until is None or at <= instant_us(self.until)
        return self.person == person and at > instant_us(self.at) and is_before_the_end


class Hint(Record):
    """What a person alone is to read in a thread."""

    user: str
    text: str

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attributes of a claim's item."""
        return cls(item["hintFor"], item["hint"])

    def to_item(self) -> Item:
        """Return the attributes of a claim's item, which anyone may show."""
        return {"hint": self.text, "hintFor": self.user, "hintAfter": 0}
