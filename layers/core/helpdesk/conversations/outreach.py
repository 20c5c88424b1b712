"""Conversations in which the team writes first: finding the one to go on with, and writing in it."""

from dataclasses import replace

from helpdesk.conversations import repository, thread
from helpdesk.conversations.filters import Wanted
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Speaker, Status
from helpdesk.files.service import Attachments
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction


def newest_open_of(organization: str, customer_id: str, named: str | None) -> Conversation | None:
    """Return a customer's newest open conversation that is not archived, looked for among all of theirs.

    `named` is one that they are known to have. The index may not yet know it, and may still show another as it was, so
    what they name is read. Two calls.
    """
    wanted = Wanted(status=Status.OPEN, customer_id=customer_id)
    found, _ = repository.page(organization, wanted.source(organization), 1, None)
    newest_first = sorted({one.id for one in found} | ({named} if named else set()), reverse=True)
    present = repository.get_many(organization, newest_first)
    return next((one for one in present if wanted.matches(one)), None)


def add_message(
    transaction: Transaction, conversation: Conversation, *, name: str, body: str, attachments: Attachments
) -> str:
    """Add a teammate's message to an open conversation, which stays with whom it is; return the message's id.

    Sends message.created alone. The transaction may raise StaleConversation.
    """
    message_id, now = ids.new("msg"), clock.now_ms()
    state = replace(conversation.state, last_speaker=Speaker.TEAMMATE)
    # What the visitor wrote so far is answered by this: an agent that is still thinking about it falls silent.
    repository.save(transaction, conversation, state, message_at=now, values={"answeredUpTo": message_id})
    return thread.add_agent_message(
        transaction,
        conversation,
        state,
        message_id=message_id,
        kind="human",
        name=name,
        body=body,
        attachments=attachments,
        now=now,
    )
