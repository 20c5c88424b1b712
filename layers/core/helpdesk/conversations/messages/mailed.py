"""Messages that come by mail. The mail names its conversation, so a session's newest open one doesn't matter."""

from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.messages import service, visitors
from helpdesk.conversations.messages.schemas import MessageAccepted
from helpdesk.conversations.messages.visitors import SessionChanged
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.service import Said
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction


def add(conversation: Conversation, message: VisitorMessage) -> MessageAccepted:
    """Write as a conversation's customer: in it or the one that it ended in, or in a new one if that isn't open.

    Raises ConversationNotFound, CustomerNotFound if they were erased meanwhile.
    """
    now = conversation

    def attempt() -> MessageAccepted:
        nonlocal now
        now = conversations.where_it_ended(now)
        if not now.accepts_visitor_messages:
            return _begin_after(now, message)
        transaction = Transaction()
        customers.require(transaction, now.organization, now.customer_id)
        message_id = thread.append(transaction, now, message)
        try:
            transaction.commit()
        except StaleConversation as stale:
            now = stale.conversation
            raise
        return MessageAccepted(conversation_id=now.id, message_id=message_id)

    return repeat_when_stale(attempt, StaleConversation, SessionChanged)


def begin(
    organization: str, session_hash: str, said: Said | None, message: VisitorMessage
) -> MessageAccepted:
    """Begin a conversation in a session, and the session if there is none: then `said` is who the visitor is."""

    def attempt() -> MessageAccepted:
        session = visitors.sessions.find(organization, session_hash)
        if session is None:
            return service.write_first(organization, session_hash, said, message)
        return service.write_next(session, None, said, message)

    return repeat_when_stale(attempt, SessionChanged, CustomerNotFound, ConversationNotFound)


def _begin_after(before: Conversation, message: VisitorMessage) -> MessageAccepted:
    """Begin another conversation of a conversation's customer. They have no session if they never wrote."""
    organization, session_hash = before.organization, before.session_hash
    session = visitors.sessions.find(organization, session_hash) if session_hash is not None else None
    if session is not None and session.customer_id == before.customer_id:
        return service.write_next(session, None, None, message)
    transaction = Transaction()
    customers.require(transaction, organization, before.customer_id)
    conversation_id, message_id = thread.start(transaction, organization, before.customer_id, None, message)
    transaction.commit()
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)
