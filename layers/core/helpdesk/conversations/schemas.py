"""Requests and responses of the inbox; a message has the same shape in events (Specification: Events)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from helpdesk.api.http.schemas import (
    Answer,
    Body,
    Milliseconds,
    PageQuery,
    as_integer,
    schema_hint,
)
from helpdesk.conversations.errors import MAX_ATTACHMENTS, MAX_BODY_CHARACTERS, MAX_TAGS
from helpdesk.conversations.record import Channel
from helpdesk.conversations.state import Handler, Status


class AgentIdentity(Answer):
    """Who wrote a message on the organization's side."""

    kind: Literal["ai", "human"]
    """`ai` for the agent, `human` for a teammate."""
    name: str
    """The name of the agent, of the teammate, or of the organization if a secret key wrote."""
    avatar_url: str | None


class Attachment(Answer):
    """An attached file. Its `url` contains no credential."""

    name: str
    size: int
    """In bytes."""
    type: str
    """The media type."""
    url: str
    """Where to download it."""


class MessageShape(Answer):
    """A customer-visible message, as in events and in the visitor's thread."""

    id: str
    conversation_id: str
    created_at: Milliseconds
    sender: Literal["visitor", "agent"]
    """`agent` stands for the organization's side: the AI agent and teammates."""
    agent: AgentIdentity | None
    """Who wrote it on the organization's side; null on a visitor's message."""
    body: str
    """Markdown from the agent (`agent.kind` is `ai`). Otherwise text as it was written. Never HTML: show it escaped."""
    attachments: list[Attachment]


class AnswerSourceShape(Answer):
    """A section of a knowledge document that an answer comes from, as it was when the agent answered."""

    document_id: str
    version: int
    """The document's version; `GET /knowledge/documents/{id}` has the newest."""
    title: str
    heading: str
    """The headings above the section, from the outermost on; empty at a document's beginning."""
    url: str | None
    """The document's public page."""


class FoundPageShape(Answer):
    """A page that the agent found before it handed the conversation to the team or asked back, as it was then."""

    document_id: str
    title: str
    url: str | None
    """Where visitors could read it: its public page, or its article on the help site. Null if they couldn't."""
    score: float
    """How likely the page answers the question, from 0 to 1."""


class MailShape(Answer):
    """The mail that a visitor's message came in."""

    address: str
    """Who sent it, by its header From."""
    name: str | None
    """What the sender calls themselves."""
    is_verified: bool
    """Whether the sending domain vouches for the address (DMARC). If not, anyone can have written it."""
    subject: str


class MailSourceAnswer(Answer):
    """The whole mail of a message, as it came in."""

    url: str
    """Where to download it (RFC 5322), for five minutes. It contains a credential. Open the file with care: nobody has
    cleaned it."""


class ThreadEntry(MessageShape):
    """An entry of the thread as the team sees it: messages, internal notes and system lines."""

    kind: Literal["message", "note", "system"]
    """Only the team sees notes and system lines; the visitor sees messages."""
    sources: list[AnswerSourceShape]
    """What an answer of the agent comes from; empty on every other entry. Only the team sees it."""
    found: list[FoundPageShape]
    """On the system line about a hand-off: up to three pages that the agent found, the best first. On a message in
    which the agent asks which page the visitor means: these two. Empty on every other entry. Only the team sees it."""
    mail: MailShape | None
    """The mail that a visitor's message came in; null on every other entry. Only the team sees it."""
    mailed: Literal["sent", "refused", "bounced", "complained"] | None
    """What became of the mail of a message from your side: it was sent, Amazon SES refused it, it bounced, or the
    customer marked it as spam. Null if it wasn't mailed, or if that isn't known. Only the team sees it."""


class ConversationState(Answer):
    """A conversation in events."""

    id: str
    status: Status
    """A closed conversation reads as resolved."""
    awaiting_human: bool
    """Whether the visitor waits for a person: open, handled by the team, the last visible message not a teammate's."""


class CustomerSummary(Answer):
    """Who a conversation is with."""

    id: str
    name: str | None
    email: str | None
    avatar_url: str | None


class PageShape(Answer):
    """Where the visitor wrote their first message from."""

    url: str
    """Without its query string, user name and password."""
    title: str | None
    referrer: str | None


class ContextShape(Answer):
    """The visitor's browser, as last reported."""

    time_zone: str | None
    locale: str | None
    browser: str | None
    os: str | None
    screen: str | None
    device: str | None


class ConversationShape(ConversationState):
    """A conversation as the team sees it; times in ms."""

    pending_approvals: int
    """How many calls of tools wait for a person to approve or deny them. GET /approvals lists them."""
    subject: str
    """The subject of the mail that it began with, otherwise the beginning of the first message."""
    channel: Channel
    """Where the customer began it: in an app that calls the API, on the help site, by e-mail or in Discord."""
    handled_by: Handler
    """Who answers the visitor: the agent or the team."""
    assignee: str | None
    """The ID of the teammate it is assigned to."""
    team: str | None
    """The ID of the team it is assigned to. It stays if the team is deleted."""
    customer: CustomerSummary
    page: PageShape | None
    """Where the visitor wrote the first message from."""
    context: ContextShape | None
    """The visitor's browser, as last reported."""
    started_at: Milliseconds
    last_message_at: Milliseconds
    waiting_since: Milliseconds | None
    """Since when it waits for your team: since the visitor's earliest message that nobody has answered, or since the
    agent or a teammate handed it to your team if that one is answered. While only a tool call waits for approval, since
    the message that led to the call. Null if it doesn't wait for your team."""
    last_message_id: str | None
    """The ID of the newest message that the visitor sees."""
    due_at: Milliseconds | None
    """When your team must have answered by the response targets of the organization. Null if it doesn't wait for your
    team, without such a target, and in the export of a customer's data."""
    overdue: bool
    """Whether `dueAt` is over."""
    unread: bool
    """Whether the visitor has written in the last 90 days since you read it. False for a secret key."""
    snoozed_until: Milliseconds | None
    archived_at: Milliseconds | None
    rating: int | None
    """The visitor's rating, 1 to 5 stars."""
    tags: list[str]
    """What your team has tagged it with, in lower case."""
    merged_into: str | None
    """The ID of the conversation that it was merged into. It accepts no writes any more."""


class ConversationsQuery(PageQuery):
    """The parameters of GET /conversations."""

    status: Status | None = None
    """Only conversations of this status."""
    awaiting_human: bool | None = None
    """True: only conversations that wait for your team, because their `awaitingHuman` is true or they have
    `pendingApprovals`. False: only the others."""
    assignee: str | None = None
    """Only the conversations of this teammate: an ID, `me` with an access token, or `none` for unassigned ones."""
    team: str | None = None
    """Only the conversations of this team, by its ID."""
    customer_id: str | None = None
    """Only the conversations of this customer, the most recently started first."""
    archived: bool | None = None
    """True: only archived conversations. Other lists leave them out."""
    snoozed: bool | None = None
    """Only snoozed conversations, or only the others."""
    channel: Channel | None = None
    """Only conversations that began there."""
    tag: str | None = None
    """Only conversations with this tag."""
    sort: Literal["waitingSince"] | None = None
    """`waitingSince`: only conversations that wait for your team, the longest wait first. Not with `q`."""
    q: str | None = None
    """Only conversations in which all these words occur, the most recently active first."""


class ConversationsAnswer(Answer):
    """GET /conversations, the most recently active first."""

    conversations: list[ConversationShape]
    """Can be fewer than `limit`, even none, while there is a `nextCursor`."""
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class ConversationAnswer(Answer):
    """GET /conversations/{id}: its newest entries, oldest first; `nextCursor` continues with older ones."""

    conversation: ConversationShape
    messages: list[ThreadEntry]
    next_cursor: str | None
    """Send it as `cursor` for older entries; null at the beginning of the thread."""


class ReplyAttachment(Body):
    """A file from POST /uploads."""

    id: str
    """The ID that POST /v1/uploads returned."""
    name: str
    """The name to show."""


class ReplyInput(Body):
    """A teammate's message."""

    body: Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
    """Shown to the visitor as written. Counted after trimming; can be empty if files are attached."""
    attachments: Annotated[list[ReplyAttachment], schema_hint(maxItems=MAX_ATTACHMENTS)] | None = None
    take_over: bool | None = None
    """Also take over the conversation: the agent no longer answers in it."""
    reopen: bool | None = None
    """Also reopen the conversation if it is resolved."""
    if_last_message_id: str | None = None
    """The ID of the newest message that you've read, without notes and system lines. If the conversation has a newer
    message, the reply isn't sent, and the error's code is `conversation_moved`."""


class NoteInput(Body):
    """A note for the team."""

    body: Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
    """Counted after trimming; can be empty if files are attached."""
    attachments: Annotated[list[ReplyAttachment], schema_hint(maxItems=MAX_ATTACHMENTS)] | None = None


class NoteAccepted(Answer):
    """The response to a note: its ID among the entries of the thread."""

    message_id: str


class ReadInput(Body):
    """How far you have read a conversation."""

    message_id: str
    """The ID of the newest message that you have seen."""


class AssignInput(Body):
    """Whom to assign a conversation to: a member, a team or both. What you omit stays as it is."""

    user_id: str | None = None
    """The member's ID; null unassigns it."""
    team_id: str | None = None
    """The team's ID; null removes it from its team."""


class ReplyAccepted(Answer):
    """The response to a reply: the message's ID, and the conversation's state after it."""

    message_id: str
    conversation: ConversationState
    """Its state after the reply."""


class TagsInput(Body):
    """The tags of a conversation."""

    tags: Annotated[list[str], schema_hint(maxItems=MAX_TAGS)]
    """All its tags, which replace those that it has. Each has 1 to 40 characters, without `#` and commas. Upper and
    lower case are one, and repeated tags count once."""


class TagsQuery(PageQuery):
    """The parameters of GET /tags."""

    prefix: str | None = None
    """Only tags that begin with it, in upper or lower case."""


class TagsAnswer(Answer):
    """GET /tags, in alphabetical order."""

    tags: list[str]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class MergeConversationInput(Body):
    """What a conversation is merged into."""

    into: str
    """The ID of another conversation of the same customer. It gets the messages and notes of both."""


class SnoozeInput(Body):
    """Until when to snooze a conversation."""

    until: Annotated[
        Any,
        BeforeValidator(as_integer),
        schema_hint(
            anyOf=[
                {"type": "integer", "format": "int64"},
                {"type": "null"},
            ]
        ),
    ]
    """A time in milliseconds since 1970, a minute to a year (365 days) ahead; null ends the snooze."""
