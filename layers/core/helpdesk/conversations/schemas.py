"""What goes in and out of the inbox; the message's shape is the one of events (Specification: Events)."""

from typing import Literal

from helpdesk.conversations.state import Handler, Status
from helpdesk.http.schemas import Answer, Body, PageQuery


class AgentIdentity(Answer):
    """Who wrote a message on the organization's side."""

    kind: Literal["ai", "human"]
    name: str
    avatar_url: str | None


class Attachment(Answer):
    """A file as it is shown; `size` in bytes, `url` without a credential in it."""

    name: str
    size: int
    type: str
    url: str


class MessageShape(Answer):
    """A customer-visible message, as in events and in the visitor's thread."""

    id: str
    conversation_id: str
    created_at: int
    sender: Literal["visitor", "agent"]
    agent: AgentIdentity | None
    body: str
    attachments: list[Attachment]


class ThreadEntry(MessageShape):
    """An entry of the thread as the team sees it: messages, internal notes and system lines."""

    kind: Literal["message", "note", "system"]


class ConversationState(Answer):
    """A conversation as events show it."""

    id: str
    status: Status
    awaiting_human: bool


class CustomerSummary(Answer):
    """Who a conversation is with."""

    id: str
    name: str | None
    email: str | None
    avatar_url: str | None


class PageShape(Answer):
    """Where the visitor wrote their first message from."""

    url: str
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

    subject: str
    handled_by: Handler
    assignee: str | None
    customer: CustomerSummary
    page: PageShape | None
    context: ContextShape | None
    started_at: int
    last_message_at: int
    snoozed_until: int | None
    archived_at: int | None
    rating: int | None


class ConversationsQuery(PageQuery):
    """The parameters of GET /conversations."""

    status: Status | None = None
    customer_id: str | None = None


class ConversationsAnswer(Answer):
    """GET /conversations, the most recently active first."""

    conversations: list[ConversationShape]
    next_cursor: str | None


class ConversationAnswer(Answer):
    """GET /conversations/{id}: its newest entries, oldest first; `nextCursor` leads to older ones."""

    conversation: ConversationShape
    messages: list[ThreadEntry]
    next_cursor: str | None


class ReplyAttachment(Body):
    """A file from POST /uploads."""

    id: str
    name: str


class ReplyInput(Body):
    """A teammate's message."""

    body: str
    attachments: list[ReplyAttachment] | None = None
    take_over: bool | None = None
    reopen: bool | None = None


class ReplyAccepted(Answer):
    """The answer of a reply: its message, and the conversation's state after it."""

    message_id: str
    conversation: ConversationState
