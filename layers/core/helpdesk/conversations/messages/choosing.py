"""The conversation that a visitor's next message goes to."""

from copy import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import repository
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.session_record import Session
from helpdesk.conversations.state import Handler
from helpdesk.storage.transactions import Transaction

_SEARCHED_FOR_OPEN = 50  # the session's most recently started conversations


def newest_open(of: Session) -> Conversation | None:
    """Return the newest open conversation of a session that is not archived. Two calls, none of an index."""
    started = repository.newest_conversations(of.organization, of.hash, _SEARCHED_FOR_OPEN)
    found = conversations.by_ids(of.organization, started)
    # Some can be left of a customer who used the session before and is being erased.
    own = [one for one in found if one.customer_id == of.customer_id]
    return next((one for one in own if one.accepts_visitor_messages), None)


def enter_team_conversation(transaction: Transaction, before: Session, conversation_id: str) -> None:
    """Add a conversation that the team started to a session, as the one that the visitor's next message goes to.

    The transaction raises SessionChanged.
    """
    repository.put_conversation(transaction, before, conversation_id)
    now = replace(before, current=conversation_id, handled_by=Handler.TEAM.value)
    repository.save(transaction, before, now)
