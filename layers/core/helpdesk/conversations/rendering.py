"""How a conversation and its messages look outside: in events, to the visitor, to the team."""

from collections.abc import Mapping

from helpdesk.accounts.hours.due import due_at
from helpdesk.accounts.hours.record import OfficeHours
from helpdesk.conversations.message_record import Entry, Message, Note
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import (
    ConversationShape,
    ConversationState,
    CustomerSummary,
    MessageShape,
    ThreadEntry,
)
from helpdesk.conversations.state import State, state_data
from helpdesk.customers.record import Customer
from helpdesk.platform import clock


def state_shape(conversation_id: str, state: State) -> ConversationState:
    """Return a conversation's state as a response shows it."""
    return ConversationState.model_validate(state_data(conversation_id, state))


def message_shape(message: Message) -> MessageShape:
    """Return a message as its visitor sees it."""
    return MessageShape.from_record(message, agent=message.author)


def thread_entry(entry: Entry) -> ThreadEntry:
    """Return a message, note or system line as the team sees it."""
    sources = entry.sources if isinstance(entry, Message) else ()
    found = entry.choices if isinstance(entry, Message) else entry.found if isinstance(entry, Note) else ()
    return ThreadEntry.from_record(
        entry,
        agent=entry.author,
        kind=entry.kind.value,
        sources=sources,
        found=found,
        mail=entry.received if isinstance(entry, Message) else None,
        mailed=entry.mail if isinstance(entry, Message) and entry.mail and entry.mail.is_result else None,
    )


def conversation_shape(
    conversation: Conversation,
    customers: Mapping[str, Customer],
    hours: OfficeHours | None = None,
    *,
    unread: bool = False,
) -> ConversationShape:
    """Return a conversation as the team sees it; `customers` are the records by id, without those that are gone.

    `hours` say when it is due, `unread` whether the caller has read it.
    """
    state, due = conversation.state, None
    if hours is not None and conversation.waiting_since is not None:
        answered = conversation.team_answered or False
        due = due_at(hours, conversation.waiting_since, answered=answered)
    return ConversationShape.from_record(
        conversation,
        status=state.status,
        awaiting_human=state.awaiting_human,
        handled_by=state.handled_by,
        due_at=due,
        unread=unread,
        overdue=due is not None and due < clock.now_ms(),
        last_message_id=conversation.newest_message_id,
        waiting_since=conversation.waiting_since,
        customer=customer_summary(conversation.customer_id, customers),
    )


def customer_summary(customer_id: str, customers: Mapping[str, Customer]) -> CustomerSummary:
    """Return who something is with; only the ID of a customer who is gone."""
    customer = customers.get(customer_id)
    if customer is None:
        return CustomerSummary(id=customer_id, name=None, email=None, avatar_url=None)
    return CustomerSummary.from_record(customer)
