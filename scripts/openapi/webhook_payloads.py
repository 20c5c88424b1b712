"""The body of a webhook, by kind of event (Specification: Events, Envelope; data by kind).

These models document the body. The outbox renders the text itself, once for all attempts. A test compares it with them.
"""

from typing import Annotated, Literal

from helpdesk.api.http.schemas import Answer, Milliseconds, schema_hint
from helpdesk.conversations.schemas import ConversationState, MessageShape
from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.signals.shapes import SignalShape


class Event(Answer):
    """The envelope of every event. The body is byte-identical on every attempt."""

    id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]
    """`evt_` and 32 hexadecimal characters; identical on every retry."""
    created_at: Milliseconds
    """When the event happened."""


class MessageData(Answer):
    """A message, and its conversation's state after it."""

    conversation: ConversationState
    message: MessageShape


class ConversationData(Answer):
    """A conversation's state after the change."""

    conversation: ConversationState


class SignalData(Answer):
    """A signal as the signals API shows it."""

    signal: SignalShape


class KnowledgeSuggestion(Answer):
    """A document that is proposed for the knowledge base, or a change of one."""

    id: str
    conversation_id: str
    conversation_subject: str
    title: str
    body: str
    """The whole text that the document would have, in Markdown."""
    target_doc_id: str | None
    """The document it would change; null for a new one."""
    suggested_at: Milliseconds


class SuggestionData(Answer):
    """A knowledge suggestion."""

    suggestion: KnowledgeSuggestion


class MessageCreated(Event):
    """A message that the visitor can see is added: the visitor's, the agent's or a teammate's."""

    type: Literal[WebhookEvent.MESSAGE_CREATED]
    data: MessageData


class ConversationCreated(Event):
    """A conversation starts."""

    type: Literal[WebhookEvent.CONVERSATION_CREATED]
    data: ConversationData


class ConversationUpdated(Event):
    """A conversation is resolved, closed or reopened, taken over or handed back, or handed to the team by the agent.

    A teammate's reply that reopens or takes over sends only message.created.
    """

    type: Literal[WebhookEvent.CONVERSATION_UPDATED]
    data: ConversationData


class BugCreated(Event):
    """A bug is filed."""

    type: Literal[WebhookEvent.BUG_CREATED]
    data: SignalData


class SuggestionCreated(Event):
    """A suggestion is filed."""

    type: Literal[WebhookEvent.SUGGESTION_CREATED]
    data: SignalData


class SignalUpdated(Event):
    """A signal changes, another report joins it, or a duplicate is merged into it."""

    type: Literal[WebhookEvent.SIGNAL_UPDATED]
    data: SignalData


class KnowledgeSuggestionCreated(Event):
    """A knowledge suggestion enters the review queue. Questions that join it later send nothing."""

    type: Literal[WebhookEvent.KNOWLEDGE_SUGGESTION_CREATED]
    data: SuggestionData


class TestData(MessageData):
    """The data of a test event: an invented message of the shape that `message.created` has."""

    endpoint_id: str
    """The endpoint that it is sent to."""
    test: Literal[True]
    """Always true: the conversation and the message do not exist."""


class WebhookTest(Event):
    """A test of an endpoint was requested. It is sent to that endpoint alone, whatever it listens to."""

    type: Literal[OwnEvent.WEBHOOK_TEST]
    data: TestData


EVENTS: dict[WebhookEvent | OwnEvent, type[Event]] = {
    WebhookEvent.MESSAGE_CREATED: MessageCreated,
    WebhookEvent.CONVERSATION_CREATED: ConversationCreated,
    WebhookEvent.CONVERSATION_UPDATED: ConversationUpdated,
    WebhookEvent.BUG_CREATED: BugCreated,
    WebhookEvent.SUGGESTION_CREATED: SuggestionCreated,
    WebhookEvent.SIGNAL_UPDATED: SignalUpdated,
    WebhookEvent.KNOWLEDGE_SUGGESTION_CREATED: KnowledgeSuggestionCreated,
    OwnEvent.WEBHOOK_TEST: WebhookTest,
}
