"""Conversations as they are stored (Specification: Conversation). Times are milliseconds since 1970.

`from_item` and `to_item` are the only code that knows the attributes of these items.
"""

from typing import NamedTuple, Self

from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import shards
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.visitor_texts.languages import Language, known


class PageInfo(Record):
    """The page that the visitor wrote the first message from."""

    url: str
    title: str | None
    referrer: str | None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attribute of a conversation's item."""
        return cls(item["url"], item["title"], item["referrer"])

    def to_item(self) -> Item:
        """Return the attribute of a conversation's item."""
        return {"url": self.url, "title": self.title, "referrer": self.referrer}


class BrowserContext(Record):
    """The visitor's browser, as last reported."""

    time_zone: str | None
    locale: str | None
    browser: str | None
    os: str | None
    screen: str | None
    device: str | None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attribute of a conversation's item."""
        return cls(
            item["timeZone"], item["locale"], item["browser"], item["os"], item["screen"], item["device"]
        )

    def to_item(self) -> Item:
        """Return the attribute of a conversation's item."""
        return {
            "timeZone": self.time_zone,
            "locale": self.locale,
            "browser": self.browser,
            "os": self.os,
            "screen": self.screen,
            "device": self.device,
        }


class LatestRating(Record):
    """A conversation's latest rating: its id, which resolution it is for, and when it was given first."""

    rating_id: str
    resolution: int
    at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attribute of a conversation's item."""
        return cls(item["id"], int(item["resolution"]), int(item["at"]))

    def to_item(self, stars: int) -> Item:
        """Return the attribute of a conversation's item."""
        return {"id": self.rating_id, "resolution": self.resolution, "at": self.at, "stars": stars}


class Snapshot(Record, kw_only=True):
    """What a write requires of a conversation: the state that it was read in.

    `newest_message_id` is its newest customer-visible message, None if that is not known. A message is written only
    with an id after this one, so ids sort in the order of the writes. `waiting_approvals` is how many calls of tools
    wait for a person.
    """

    organization: str
    id: str
    state: State
    assignee: str | None = None
    snoozed_until: int | None = None
    archived_at: int | None = None
    newest_message_id: str | None = None
    waiting_approvals: int = 0

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
    """The attributes that a write sets, and those that it adds to, where it counts tokens."""

    changed: Item
    added: dict[str, int]


class Conversation(Snapshot, kw_only=True):
    """A conversation, with how often it was resolved and how often its status or handler has changed.

    `rating` is the stars of the latest rating. `newest_visitor_message_id` is None if the visitor has written nothing.
    `answered_up_to` is the id of the last message that the agent or a teammate has answered, empty before the first
    answer. `handed_off_at` is when the agent last handed it to the team, and `hand_off_reason` why. `resolved_at` is
    when it was last resolved. `language` is the one that the visitor clearly writes, None until an answer has noted it.
    `gap` is the last message of a question that the agent found nothing for, until it is in a suggestion.
    `hour_tokens` are the tokens of a model that answers of the hour `tokens_hour` (since 1970) used.
    """

    customer_id: str
    session_hash: str | None
    subject: str
    page: PageInfo | None
    context: BrowserContext | None
    started_at: int
    last_message_at: int
    message_count: int = 1
    rating: int | None = None
    latest_rating: LatestRating | None = None
    resolutions: int = 0
    state_changes: int = 0
    newest_visitor_message_id: str | None = None
    answered_up_to: str = ""
    handed_off_at: int | None = None
    hand_off_reason: str | None = None
    resolved_at: int | None = None
    language: Language | None = None
    gap: str | None = None
    tokens_hour: int = 0
    hour_tokens: int = 0

    def tokens_in_hour(self, now: int) -> int:
        """Return how many tokens of a model were used in the clock hour of an instant (ms)."""
        return self.hour_tokens if self.tokens_hour == now // HOUR_MS else 0

    def with_tokens(self, tokens: int, now: int) -> HourTokens:
        """Return what a write changes that adds tokens to those of the clock hour of an instant (ms)."""
        hour = now // HOUR_MS
        if self.tokens_hour == hour:
            return HourTokens({}, {"hourTokens": tokens})
        return HourTokens({"tokensHour": hour, "hourTokens": tokens}, {})

    @property
    def pending_approvals(self) -> int:
        """How many calls of tools wait for a person to decide. A resolution ends them, by a job."""
        return 0 if self.state.status is Status.RESOLVED else self.waiting_approvals

    @property
    def waits_for_team(self) -> bool:
        """Whether the visitor waits for a person, or a call of a tool does."""
        return self.state.awaiting_human or self.pending_approvals > 0

    @property
    def unanswered(self) -> bool:
        """Whether the visitor has written since the last answer. Writes of others do not matter."""
        if self.newest_visitor_message_id is None:
            return self.state.last_speaker is Speaker.VISITOR
        return self.newest_visitor_message_id > self.answered_up_to

    def awaits_agent(self, message_id: str) -> bool:
        """Whether a visitor's message still waits for the agent: neither it nor a teammate has answered it.

        A write that answers the message requires the same (`change.awaits_agent`).
        """
        answered = self.state.last_speaker is Speaker.TEAMMATE or self.answered_up_to >= message_id
        return self.agent_may_answer and not answered

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a conversation's item, which must not be marked as being erased."""
        snoozed_until, archived_at = item["snoozedUntil"], item["archivedAt"]
        page, context, rated = item["page"], item["context"], item.get("rated")
        visibility = Visibility.ACTIVE if snoozed_until is None else Visibility.SNOOZED
        return cls(
            organization=item["organization"],
            id=item["id"],
            state=State(
                Status(item["status"]),
                Handler(item["handledBy"]),
                Speaker(item["lastSpeaker"]),
                visibility if archived_at is None else Visibility.ARCHIVED,
            ),
            assignee=item["assignee"],
            snoozed_until=snoozed_until,
            archived_at=archived_at,
            newest_message_id=item.get("newestMessageId"),
            customer_id=item["customerId"],
            session_hash=item["sessionHash"],
            subject=item["subject"],
            page=PageInfo.from_item(page) if page else None,
            context=BrowserContext.from_item(context) if context else None,
            started_at=item["startedAt"],
            last_message_at=item["lastMessageAt"],
            message_count=item["messageCount"],
            rating=item["rating"],
            latest_rating=LatestRating.from_item(rated) if rated else None,
            resolutions=item.get("resolutions", 0),
            state_changes=item.get("stateChanges", 0),
            newest_visitor_message_id=item.get("newestVisitorMessageId"),
            answered_up_to=item.get("answeredUpTo", ""),
            handed_off_at=item.get("handedOffAt"),
            hand_off_reason=item.get("handOffReason"),
            resolved_at=item.get("resolvedAt"),
            language=known(item.get("language")),
            gap=item.get("gap"),
            waiting_approvals=item.get("waitingApprovals", 0),
            tokens_hour=item.get("tokensHour", 0),
            hour_tokens=item.get("hourTokens", 0),
        )

    def to_item(self) -> Item:
        """Return the attributes of a new conversation's item, without its keys."""
        return {
            "organization": self.organization,
            "id": self.id,
            "customerId": self.customer_id,
            "sessionHash": self.session_hash,
            "subject": self.subject,
            "status": self.state.status.value,
            "handledBy": self.state.handled_by.value,
            "lastSpeaker": self.state.last_speaker.value,
            "assignee": self.assignee,
            "page": self.page.to_item() if self.page else None,
            "context": self.context.to_item() if self.context else None,
            "startedAt": self.started_at,
            "lastMessageAt": self.last_message_at,
            "messageCount": self.message_count,
            "snoozedUntil": self.snoozed_until,
            "archivedAt": self.archived_at,
            "rating": self.rating,
            **newest_message(self.newest_message_id, self.newest_visitor_message_id),
        }


def newest_message(message_id: str | None, visitor_message_id: str | None) -> Item:
    """Return the attributes of a conversation's item that name its newest messages."""
    return {
        **({} if message_id is None else {"newestMessageId": message_id}),
        **({} if visitor_message_id is None else {"newestVisitorMessageId": visitor_message_id}),
    }


class Snooze(Stored, kw_only=True):
    """The reminder of a conversation's snooze, which ends at `until` (ms). The snoozes package writes it."""

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


class StaleConversation(ConditionFailed):
    """The conversation has changed since it was read; `conversation` is what it is now.

    Raises ConversationNotFound instead if it was erased.
    """

    def __init__(self, item: Item | None) -> None:
        if item is None or BEING_ERASED in item:
            raise ConversationNotFound
        super().__init__(item)
        self.conversation = Conversation.from_item(item)


class SessionGone(ConditionFailed):
    """The conversation's session is gone: the conversation is in another one now, or its customer is being erased."""


class ErasableConversation(Record):
    """A conversation as an erasure sees it. `session_hash` is None if the team started it without a session."""

    id: str
    customer_id: str
    session_hash: str | None
    being_erased: bool

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a conversation's item."""
        return cls(
            id=item["id"],
            customer_id=item["customerId"],
            session_hash=item.get("sessionHash") or None,
            being_erased=BEING_ERASED in item,
        )
