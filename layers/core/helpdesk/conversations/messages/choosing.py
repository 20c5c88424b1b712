"""The conversation that a visitor's next message goes to."""

from copy import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import Conversation, Session
from helpdesk.conversations.state import Handler
from helpdesk.storage.transactions import Transaction

_SEARCHED_FOR_OPEN = 50  # the session's most recently started conversations


def newest_open(of: Session) -> Conversation | None:
    """Return the newest open conversation of a session that is not archived. Two calls, none of an index.

    A merged one stands for the one that it ended in, which costs one more.
    """
    started = visitors.newest_conversations(of.organization, of.hash, _SEARCHED_FOR_OPEN)
    found = conversations.by_ids(of.organization, ids=started)
    # Some can be left of a customer who used the session before and is being erased.
    own = [one for one in found.values() if one.customer_id == of.customer_id]
    own = conversations.where_they_ended(of.organization, own)
    return next((one for one in own if one.accepts_visitor_messages), None)


def enter_team_conversation(transaction: Transaction, before: Session, conversation_id: str) -> None:
    """Add a conversation that the team started to a session, as the one that the visitor's next message goes to.

    The transaction raises SessionChanged.
    """
    visitors.add_conversation(transaction, before, conversation_id)
    now = replace(before, current=conversation_id, handled_by=Handler.TEAM.value)
    visitors.save(transaction, before, now)
