"""The kinds of event that an endpoint may listen to (Specification: Events, Event kinds)."""

from enum import StrEnum


class WebhookEvent(StrEnum):
    """A kind of event, by the name it has in the API."""

    MESSAGE_CREATED = "message.created"
    CONVERSATION_CREATED = "conversation.created"
    CONVERSATION_UPDATED = "conversation.updated"
    BUG_CREATED = "bug.created"
    SUGGESTION_CREATED = "suggestion.created"
    SIGNAL_UPDATED = "signal.updated"
    KNOWLEDGE_SUGGESTION_CREATED = "knowledge.suggestion.created"
