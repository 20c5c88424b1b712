"""How a conversation and its messages look to the outside: in events, to the visitor, to the team."""

from collections.abc import Mapping
from typing import Any

from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import (
    ContextShape,
    ConversationShape,
    ConversationState,
    CustomerSummary,
    MessageShape,
    PageShape,
    ThreadEntry,
)
from helpdesk.conversations.state import State
from helpdesk.storage.table import Item

_MESSAGE_FIELDS = ("id", "conversationId", "createdAt", "sender", "agent", "body", "attachments")


def state_data(conversation_id: str, state: State) -> dict[str, Any]:
    """Return `data.conversation` of an event: the state after the change (Specification: Events, data by kind)."""
    return {"id": conversation_id, "status": state.status.value, "awaitingHuman": state.awaiting_human}


def message_data(message: Item) -> dict[str, Any]:
    """Return `data.message` of an event."""
    return {name: message[name] for name in _MESSAGE_FIELDS}


def state_shape(conversation_id: str, state: State) -> ConversationState:
    """Return a conversation's state as an answer."""
    return ConversationState.model_validate(state_data(conversation_id, state))


def message_shape(message: Item) -> MessageShape:
    """Return a message for its visitor."""
    return MessageShape.model_validate(message_data(message))


def thread_entry(entry: Item) -> ThreadEntry:
    """Return a message, note or system line for the team."""
    return ThreadEntry.model_validate({**message_data(entry), "kind": entry.get("kind", "message")})


def conversation_shape(conversation: Conversation, customers: Mapping[str, Item]) -> ConversationShape:
    """Return a conversation for the team; `customers` are the records by id."""
    item = conversation.item
    customer = customers.get(item["customerId"], {})
    return ConversationShape(
        id=conversation.id,
        status=conversation.state.status,
        awaiting_human=conversation.state.awaiting_human,
        subject=item["subject"],
        handled_by=conversation.state.handled_by,
        assignee=item["assignee"],
        customer=CustomerSummary(
            id=item["customerId"],
            name=customer.get("name"),
            email=customer.get("email"),
            avatar_url=customer.get("avatarUrl"),
        ),
        page=PageShape.model_validate(item["page"]) if item["page"] else None,
        context=ContextShape.model_validate(item["context"]) if item["context"] else None,
        started_at=item["startedAt"],
        last_message_at=item["lastMessageAt"],
        snoozed_until=item["snoozedUntil"],
        archived_at=item["archivedAt"],
        rating=item["rating"],
    )
