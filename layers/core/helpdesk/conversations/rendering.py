"""How a conversation and its messages look outside: in events, to the visitor, to the team."""

from collections.abc import Mapping

from helpdesk.conversations.message_record import Message
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
from helpdesk.conversations.state import State, state_data
from helpdesk.customers.record import Customer


def state_shape(conversation_id: str, state: State) -> ConversationState:
    """Return a conversation's state as a response shows it."""
    return ConversationState.model_validate(state_data(conversation_id, state))


def message_shape(message: Message) -> MessageShape:
    """Return a message as its visitor sees it."""
    return MessageShape.model_validate(message.event_data())


def thread_entry(entry: Message) -> ThreadEntry:
    """Return a message, note or system line as the team sees it."""
    sources = [source.to_item() for source in entry.sources]
    return ThreadEntry.model_validate({**entry.event_data(), "kind": entry.kind.value, "sources": sources})


def conversation_shape(conversation: Conversation, customers: Mapping[str, Customer]) -> ConversationShape:
    """Return a conversation as the team sees it; `customers` are the records by id, without those that are gone."""
    customer = customers.get(conversation.customer_id)
    page, context = conversation.page, conversation.context
    return ConversationShape(
        id=conversation.id,
        status=conversation.state.status,
        awaiting_human=conversation.state.awaiting_human,
        pending_approvals=conversation.pending_approvals,
        subject=conversation.subject,
        handled_by=conversation.state.handled_by,
        assignee=conversation.assignee,
        customer=CustomerSummary(
            id=conversation.customer_id,
            name=customer.name if customer else None,
            email=customer.email if customer else None,
            avatar_url=customer.avatar_url if customer else None,
        ),
        page=PageShape.model_validate(page.to_item()) if page else None,
        context=ContextShape.model_validate(context.to_item()) if context else None,
        started_at=conversation.started_at,
        last_message_at=conversation.last_message_at,
        snoozed_until=conversation.snoozed_until,
        archived_at=conversation.archived_at,
        rating=conversation.rating,
    )
