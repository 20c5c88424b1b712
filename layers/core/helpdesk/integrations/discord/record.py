"""Settings of Discord, channels and roles of a server, and what it shows of conversations."""

from enum import StrEnum

from helpdesk.integrations.chat import ChatRecord, Pace
from helpdesk.platform.record import Record
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, field


class DiscordSettings(ChatRecord, kw_only=True):
    """Settings of Discord. Alerts appear in the channel.

    role   the name of the role that alerts mention, when it was chosen; `role_id` stays the same when it is renamed
    asked  whether anyone has asked in the server, so that answers go there
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#chatcommunity"
    account_id: str | None = field(name="server", default=None)
    role: str | None = None
    role_id: str | None = None
    asked: bool = False

    @property
    def follows(self) -> bool:
        """Whether events of conversations are jobs for the app."""
        return self.enabled or self.asked


class Named(Record):
    """A channel or role of a server. `mentionable` is whether a mention of the role notifies its members."""

    id: str
    name: str
    mentionable: bool = True


class DiscordDirectory(Stored, kw_only=True):
    """The channels and roles of a server, and when they were listed and last asked for (ms)."""

    PK, SK = "ORG#{organization}#INTEGRATION", "SERVER#{server}"
    organization: str
    server: str
    channels: tuple[Named, ...] = ()
    roles: tuple[Named, ...] = ()
    listed_at: int | None = None
    asked_at: int | None = None


class FeedKind(StrEnum):
    """What is shown."""

    ANSWERS = "answers"
    ALERTS = "alerts"


class DiscordFeed(Stored, kw_only=True):
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

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "COMMUNITY#{server}#{kind}"
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


class DiscordPlace(Stored, kw_only=True):
    """The newest conversation that has its answers in a channel or thread."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "PLACE#{channel}"
    organization: str
    server: str
    channel: str
    conversation_id: str


class DiscordCommand(Stored, kw_only=True):
    """That a command which somebody typed was done; its presence makes it the only time."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "COMMAND#{interaction}"
    organization: str
    server: str
    interaction: str
    expires_at: int


class DiscordAsker(Stored, kw_only=True):
    """How often a person asked within ten minutes, by the number of those."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "ASKER#{user}#{window}"
    organization: str
    server: str
    user: str
    window: str
    asked: int = 0
    expires_at: int


class DiscordPace(Pace, kw_only=True):
    """The pace of a channel."""

    PK, SK = "ORG#{organization}#COMMUNITY#{server}", "PACE#{channel}"
    organization: str
    server: str
    channel: str


directories = Collection(DiscordDirectory)
feeds = Collection(DiscordFeed)
owners = Collection(DiscordPlace)
