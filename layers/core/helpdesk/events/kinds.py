"""The kinds of event: those that an endpoint may listen to, and one of ours (Specification: Events, Event kinds)."""

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


class OwnEvent(StrEnum):
    """A kind beyond the specification's list: no endpoint asks for it, it is sent to the one that it concerns."""

    WEBHOOK_TEST = "webhook.test"
