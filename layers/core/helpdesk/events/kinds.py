"""The kinds of event: those that an endpoint can listen to, and the test event (Specification: Events, Event kinds)."""

from enum import StrEnum


class WebhookEvent(StrEnum):
    """A kind of event, by its name in the API."""

    MESSAGE_CREATED = "message.created"
    CONVERSATION_CREATED = "conversation.created"
    CONVERSATION_UPDATED = "conversation.updated"
    BUG_CREATED = "bug.created"
    SUGGESTION_CREATED = "suggestion.created"
    SIGNAL_UPDATED = "signal.updated"
    KNOWLEDGE_SUGGESTION_CREATED = "knowledge.suggestion.created"


class OwnEvent(StrEnum):
    """A kind that is not in the specification's list. It goes to one endpoint, and no endpoint can listen to it."""

    WEBHOOK_TEST = "webhook.test"
