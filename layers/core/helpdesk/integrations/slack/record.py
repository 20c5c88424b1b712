"""Settings of Slack, channels of a workspace, and threads of conversations."""

from copy import replace
from enum import StrEnum

from helpdesk.integrations.chat import ChatRecord, Pace
from helpdesk.integrations.slack import instant_us
from helpdesk.platform.record import Record
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, field


class Mode(StrEnum):
    """Which way messages travel."""

    ALERTS = "alerts"
    TWO_WAY = "two_way"


class SlackSettings(ChatRecord, kw_only=True):
    """Settings of Slack.

    two_way_since  from when (ms) what people write and press in threads counts
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#chatmirror"
    account_id: str | None = field(name="team", default=None)
    mode: Mode = Mode.ALERTS
    two_way_since: int = 0

    @property
    def is_two_way(self) -> bool:
        """Whether replies in a thread reach the customer."""
        return self.enabled and self.mode is Mode.TWO_WAY

    def within(self, account_id: str) -> "SlackSettings":
        """Return the settings as they are in a workspace: a channel of another one doesn't count."""
        return self if self.account_id == account_id else replace(self.cleared(), mode=self.mode)


class SlackChannel(Stored, kw_only=True):
    """A channel of a workspace that the bot can see: any public one, and private ones to which it was invited."""

    PK, SK = "ORG#{organization}#INTEGRATION", "CHANNEL#{team}#{name}"
    organization: str
    team: str
    id: str
    name: str
    private: bool


class SlackDirectory(Stored, kw_only=True):
    """When the channels of a workspace were listed (ms), and last asked for."""

    PK, SK = "ORG#{organization}#INTEGRATION", "DIRECTORY#{team}"
    organization: str
    team: str
    listed_at: int | None = None
    asked_at: int | None = None


class SlackThread(Stored, kw_only=True):
    """A conversation's thread in a channel.

    ts        the time stamp of its first message, by which Slack names it; None before that is posted
    messages, lines, approvals  the newest id of each kind that is in it
    posting   what was about to be posted when the last claim was made, and when (ms); None if it is known to be there
    slot_at   the instant (ms) that the channel gave it for the next message; None if it has none
    claimed_until  until when (ms) a worker writes in it
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MIRROR#{team}#{channel}"
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


class SlackThreadOwner(Stored, kw_only=True):
    """The conversation that a thread of a channel is of, by the time stamp of its first message. And its takeover.

    member, person  who pressed *Take over* in it last, and who that is in Slack; None if nobody did
    state_changes   how often the conversation's state had changed when it was the team's by that
    at, until       the time stamps of Slack between which what they write is a reply; None without an end
    pressed_at      the time stamp of their latest press; they may press again
    """

    PK, SK = "ORG#{organization}#MIRROR#{team}", "THREAD#{channel}#{thread}"
    organization: str
    team: str
    channel: str
    thread: str
    conversation_id: str
    member: str | None = field(name="takenBy", default=None)
    person: str | None = field(name="takenAs", default=None)
    state_changes: int | None = field(name="takenFor", default=None)
    at: str | None = field(name="takenAt", default=None)
    pressed_at: str | None = field(name="takenPress", default=None)
    until: str | None = field(name="takenUntil", default=None)

    def covers(self, person: str, message: str) -> bool:
        """Return whether a person wrote a message, by its time stamp, after they took over and before that ended."""
        if self.at is None or self.person != person:
            return False
        at = instant_us(message)
        return at > instant_us(self.at) and (self.until is None or at <= instant_us(self.until))


class Claim(Stored, kw_only=True):
    """What was done about a message or a click of a thread, once: its presence is the claim. And the hint that follows.

    hint        what the person `hint_for` alone is to read in the thread
    hint_after  from when (ms) a worker may show it
    """

    organization: str
    team: str
    hint: str | None = None
    hint_for: str | None = None
    hint_after: int | None = None
    expires_at: int = 0


class SlackReply(Claim, kw_only=True):
    """That a message of a thread was sent to the customer, or refused."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "REPLY#{channel}#{message}"
    channel: str
    message: str


class SlackClick(Claim, kw_only=True):
    """That a click on a button of a thread was done."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "CLICK#{click}"
    click: str


class SlackPace(Pace, kw_only=True):
    """The pace of a channel."""

    PK, SK = "ORG#{organization}#MIRROR#{team}", "PACE#{channel}"
    organization: str
    team: str
    channel: str


class Hint(Record):
    """What a person alone is to read in a thread."""

    user: str
    text: str


channels = Collection(SlackChannel)
threads = Collection(SlackThread)
owners = Collection(SlackThreadOwner)
