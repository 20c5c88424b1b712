"""Conversations, visitors' sessions and ratings as they are stored (Specification: Conversation).

Times are milliseconds since 1970.
"""

from enum import StrEnum
from typing import ClassVar, NamedTuple, Self

from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility, earliest_wait
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import shards
from helpdesk.storage.stored import Stored, field
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.visitor_texts.languages import Language, known


class PageInfo(Record):
    """The page that the visitor wrote the first message from."""

    url: str
    title: str | None
    referrer: str | None


class BrowserContext(Record):
    """The visitor's browser, as last reported."""

    time_zone: str | None
    locale: str | None
    browser: str | None
    os: str | None
    screen: str | None
    device: str | None


class LatestRating(Record):
    """A conversation's latest rating: its ID, which resolution it is for, when it was given first, and its stars."""

    id: str
    resolution: int
    at: int
    stars: int


class Channel(StrEnum):
    """Where a customer began a conversation."""

    API = "api"
    """In an app that calls the API."""
    SITE = "site"
    """On the help site."""
    EMAIL = "email"
    """With a mail. Each answer is mailed to them."""
    DISCORD = "discord"


class InboxList(StrEnum):
    """The lists of the inbox. A conversation is in exactly one of them."""

    WAITING = "waiting"
    """Open, and it waits for the team: the visitor (awaitingHuman), or a call of a tool that needs an approval."""
    OPEN = "open"
    """Open, and it does not wait for the team."""
    RESOLVED = "resolved"
    ARCHIVED = "archived"


class AssignedList(StrEnum):
    """The lists of one teammate's conversations.

    The open ones are one list: a visitor's message is written without knowing the assignee, so it must not have to
    change the list.
    """

    OPEN = "open"
    RESOLVED = "resolved"
    ARCHIVED = "archived"


ERASED = "erased"
"""A further list of the inbox: conversations that are being erased, where the eraser finds them."""


def inbox_list(state: State, *, approvals: bool) -> InboxList:
    """Return the list of the inbox that a conversation in this state is in; `approvals` says whether any wait."""
    if state.visibility is Visibility.ARCHIVED:
        return InboxList.ARCHIVED
    if state.status is Status.RESOLVED:
        return InboxList.RESOLVED
    return InboxList.WAITING if state.awaiting_human or approvals else InboxList.OPEN


def assigned_list(state: State) -> AssignedList:
    """Return the list of its assignee that a conversation in this state is in."""
    if state.visibility is Visibility.ARCHIVED:
        return AssignedList.ARCHIVED
    return AssignedList.RESOLVED if state.status is Status.RESOLVED else AssignedList.OPEN


class Snapshot(Stored, kw_only=True):
    """What a write requires of a conversation: the state that it was read in.

    `newest_message_id` is its newest customer-visible message. A message is written only with an id after this one, so
    ids sort in the order of the writes. `waiting_approvals` is how many calls of tools wait for a person, and
    `approvals_since` since when. `unanswered_since` is since when the visitor has no answer: since the earliest message
    that nobody has answered, or since the team became responsible if there is none. A hand-off answers nothing. A
    resolution ends it.
    """

    VIEW_OF: ClassVar[str | None] = "Conversation"
    PK, SK = "ORG#{organization}#CONV#{id}", "CONV"
    organization: str
    id: str
    status: Status
    handled_by: Handler
    last_speaker: Speaker
    assignee: str | None = None
    snoozed_until: int | None = None
    archived_at: int | None = None
    newest_message_id: str | None = None
    waiting_approvals: int = 0
    approvals_since: int | None = None
    unanswered_since: int | None = None
    channel: Channel = Channel.API

    @property
    def state(self) -> State:
        """Its state."""
        visibility = Visibility.ACTIVE if self.snoozed_until is None else Visibility.SNOOZED
        if self.archived:
            visibility = Visibility.ARCHIVED
        return State(self.status, self.handled_by, self.last_speaker, visibility)

    @property
    def archived(self) -> bool:
        """Whether it is archived: then it accepts no writes."""
        return self.archived_at is not None

    @property
    def accepts_visitor_messages(self) -> bool:
        """Whether a visitor's next message can go into it."""
        return self.state.accepts_visitor_messages

    @property
    def agent_may_answer(self) -> bool:
        """Whether the agent may write in it."""
        return self.state.agent_may_answer


class HourTokens(NamedTuple):
    """The fields that a write sets, and those that it adds to, where it counts tokens."""

    changed: dict[str, int]
    added: dict[str, int]


class Conversation(Snapshot, kw_only=True):
    """A conversation, with how often it was resolved and how often its status or handler has changed.

    `rating` is the stars of the latest rating. `newest_visitor_message_id` is None if the visitor has written nothing.
    `answered_up_to` is the id of the last message that the agent or a teammate has answered, empty before the first
    answer. `handed_off_at` is when the agent last handed it to the team, and `hand_off_reason` why. `resolved_at` is
    when it was last resolved. `team_answered` is true once a teammate has written in it. `language` is the one that the
    visitor clearly writes, None until an answer has noted it. `gap` is the last message of a question that the agent
    found nothing for, until it is in a suggestion. `reply_token` is in the address that answers to its mails go to,
    None before the first mail. `rating_asked` is the last resolution for which the customer was asked for a rating by
    mail. `team` is the ID of the team that it is assigned to, beside its assignee. `assigned_to_self` is true if the
    assignee chose it themselves, else None. `hour_tokens` are the tokens of a model that answers of the hour
    `tokens_hour` (since 1970) used. `merged_into` is the conversation that it ended in, `merged_from` are those that
    ended in it, at any remove. `erasing` is the erasure that removes it: to everyone else it is gone. What such a
    conversation said is no longer in its item.
    """

    VIEW_OF = None
    GSI1 = "ORG#{organization}#INBOX#{inbox_list}", "{last_message_at:013d}#{id}"
    GSI2 = "ORG#{organization}#CUSCONVS#{customer_id}", "{id}"
    GSI3 = "ORG#{organization}#ASSIGNED#{assignee}#{assigned_list}", "{last_message_at:013d}#{id}"
    GSI4 = "ORG#{organization}#WAITING", "{waiting_since:013d}#{id}"
    customer_id: str
    session_hash: str | None = None
    subject: str = ""
    page: PageInfo | None = None
    context: BrowserContext | None = None
    started_at: int
    last_message_at: int
    message_count: int = 1
    rating: int | None = None
    latest_rating: LatestRating | None = field(name="rated", default=None)
    resolutions: int = 0
    state_changes: int = 0
    newest_visitor_message_id: str | None = None
    answered_up_to: str = ""
    handed_off_at: int | None = None
    hand_off_reason: str | None = None
    resolved_at: int | None = None
    team_answered: bool | None = None
    language: Language | None = None
    gap: str | None = None
    tokens_hour: int = 0
    hour_tokens: int = 0
    team: str | None = None
    assigned_to_self: bool | None = None
    reply_token: str | None = None
    rating_asked: int | None = None
    tags: tuple[str, ...] = ()
    merged_into: str | None = None
    merged_from: tuple[str, ...] = ()
    erasing: str | None = None

    @property
    def activity(self) -> str:
        """Its sort key in the lists of the inbox and of its assignee."""
        return activity_at(self.last_message_at, self.id)

    @property
    def inbox_list(self) -> InboxList:
        """The list of the inbox that it is in."""
        return inbox_list(self.state, approvals=self.waiting_approvals > 0)

    @property
    def assigned_list(self) -> AssignedList:
        """The list of its assignee that it is in."""
        return assigned_list(self.state)

    def tokens_in_hour(self, now: int) -> int:
        """Return how many tokens of a model were used in the clock hour of an instant (ms)."""
        return self.hour_tokens if self.tokens_hour == now // HOUR_MS else 0

    def with_tokens(self, tokens: int, now: int) -> HourTokens:
        """Return what a write changes that adds tokens to those of the clock hour of an instant (ms)."""
        hour = now // HOUR_MS
        if self.tokens_hour == hour:
            return HourTokens({}, {"hour_tokens": tokens})
        return HourTokens({"tokens_hour": hour, "hour_tokens": tokens}, {})

    @property
    def pending_approvals(self) -> int:
        """How many calls of tools wait for a person to decide. A resolution ends them, by a job."""
        return 0 if self.state.status is Status.RESOLVED else self.waiting_approvals

    @property
    def waiting_since(self) -> int | None:
        """Since when the visitor, or a call of a tool, waits for the team; None outside the list of what waits."""
        if self.inbox_list is not InboxList.WAITING:
            return None
        approvals = self.approvals_since if self.waiting_approvals else None
        return earliest_wait(self.state, self.unanswered_since, approvals) or self.last_message_at

    @property
    def waits_for_team(self) -> bool:
        """Whether the visitor waits for a person, or a call of a tool does."""
        return self.state.awaiting_human or self.pending_approvals > 0

    @property
    def unanswered(self) -> bool:
        """Whether the visitor has written since the last answer. Writes of others do not matter."""
        return (self.newest_visitor_message_id or "") > self.answered_up_to

    def awaits_agent(self, message_id: str) -> bool:
        """Whether a visitor's message still waits for the agent: neither it nor a teammate has answered it.

        A write that answers the message requires the same (`change.awaits_agent`).
        """
        answered = self.state.last_speaker is Speaker.TEAMMATE or self.answered_up_to >= message_id
        return self.agent_may_answer and not answered

    def to_item(self) -> Item:
        """Return the item. It has the sort key of its assignee's list before it has one.

        A visitor's message sets that sort key without knowing the assignee, and assigning it sets the list alone.
        """
        return super().to_item() | {"GSI3SK": self.activity}

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item. Raises UnreadableItem. A language that only a later version knows is none."""
        return super().from_item(item | {"language": known(item.get("language"))})


def activity_at(at_ms: int, conversation_id: str) -> str:
    """Return the sort key of a conversation in its lists: by its latest message."""
    return Conversation.GSI1[1].format(last_message_at=at_ms, id=conversation_id)


class ErasableConversation(Stored, kw_only=True):
    """A conversation as an erasure sees it. `session_hash` is None if the team started it without a session."""

    VIEW_OF = "Conversation"
    PK, SK = Conversation.PK, Conversation.SK
    organization: str
    id: str
    customer_id: str
    session_hash: str | None = None
    reply_token: str | None = None
    erasing: str | None = None


class ReplyAddress(Stored, kw_only=True):
    """The conversation that a mail to `r+<token>@` joins, by the SHA-256 of the token."""

    PK, SK = "REPLYTO#{token_hash}", "REPLYTO"
    token_hash: str
    organization: str
    conversation_id: str


class Snooze(Stored, kw_only=True):
    """The reminder of a conversation's snooze, which ends at `until` (ms). `snoozes` writes it."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "SNOOZE"
    GSI1 = "WAKE#{shard}", "{until:013d}"
    organization: str
    conversation_id: str
    until: int
    expires_at: int | None = None

    @property
    def shard(self) -> int:
        """Which shard of the index it is in."""
        return shards.shard_of(self.conversation_id)


class TeamNotice(Stored, kw_only=True):
    """What the team was last notified of in a conversation (helpdesk/notifications).

    `message_id` is the visitor's newest message then, `looks` how often something was new.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "TEAMNOTICE"
    organization: str
    conversation_id: str
    message_id: str | None = None
    assignee: str | None = None
    approvals: int = 0
    looks: int = 0


class StaleConversation(ConditionFailed):
    """The conversation has changed since it was read; `conversation` is what it is now.

    Raises ConversationNotFound instead if it was erased.
    """

    def __init__(self, item: Item | None) -> None:
        conversation = None if item is None else Conversation.from_item(item)
        if conversation is None or conversation.erasing:
            raise ConversationNotFound
        super().__init__(item)
        self.conversation = conversation


class SessionGone(ConditionFailed):
    """The conversation's session is gone: the conversation is in another one now, or its customer is being erased."""


class Session(Stored, kw_only=True):
    """A visitor's session by the SHA-256 of its token.

    `current` hints at its newest open conversation and `handled_by` at who handled that at the last message: the
    conversation's own item decides, and a wrong hint costs a call. `openings` counts how often a resolved conversation
    of the session was reopened, which makes every earlier hint stale. `identity_fingerprint` is the hash of what the
    visitor last said about themselves. `seen` is the ID of the newest message from the organization that was fetched.
    """

    PK, SK = "ORG#{organization}#SESSION#{hash}", "SESSION"
    organization: str
    hash: str
    customer_id: str
    current: str | None = field(name="conversationId", default=None)
    handled_by: str
    identity_fingerprint: str
    openings: int = 0
    seen: str | None = None
    created_at: int = field(default_factory=clock.now_ms)


class SessionConversation(Stored, kw_only=True):
    """One conversation of a session; IDs sort by start, so the newest is the last."""

    PK, SK = "ORG#{organization}#SESSION#{session_hash}", "CONV#{conversation_id}"
    organization: str
    session_hash: str
    conversation_id: str


class Rating(Stored, kw_only=True):
    """A visitor's rating of one resolution: when it was given first (ms), and how many stars.

    Ratings are small and in one partition, so thousands are one query. Their IDs begin with their time.
    """

    PK, SK = "ORG#{organization}#RATINGS", "RATING#{id}"
    organization: str
    id: str
    conversation_id: str
    at: int
    stars: int
