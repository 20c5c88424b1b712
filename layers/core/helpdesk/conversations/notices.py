"""Notices: messages that the organization sends unasked, such as the one that a reported bug is fixed."""

from helpdesk.conversations import repository, thread
from helpdesk.conversations.record import Author, Conversation
from helpdesk.files.service import NO_ATTACHMENTS
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction


def append(transaction: Transaction, conversation: Conversation, *, name: str, body: str) -> str:
    """Add a message of the organization that answers nothing, and leave the conversation's state; return its id.

    A resolved conversation stays resolved, and a visitor who waits for an answer still waits. Sends message.created
    alone. The transaction can raise StaleConversation.
    """
    message_id, now = thread.new_message_id(conversation), clock.now_ms()
    repository.save(
        transaction, conversation, conversation.state, message_id=message_id, message_at=now, notice=True
    )
    return thread.add_agent_message(
        transaction,
        conversation,
        conversation.state,
        message_id=message_id,
        author=Author("human", name),
        body=body,
        attachments=NO_ATTACHMENTS,
        now=now,
        notice=True,
    )
