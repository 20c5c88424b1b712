"""Visitors by their sessions, for every noun: who they are, and the conversation that their next message goes to."""

from copy import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import STARTED, Handler
from helpdesk.customers import service as customers
from helpdesk.messages import repository
from helpdesk.messages.repository import Session, SessionChanged
from helpdesk.storage.transactions import Transaction

__all__ = ["Session", "SessionChanged"]  # and everything below

_SEARCHED_FOR_OPEN = 50  # the session's most recently started conversations


def session(organization: str, session_hash: str) -> Session | None:
    """Return a session by its hash, or None before its first message."""
    return repository.get(organization, session_hash)


def introduce(transaction: Transaction, organization: str, session_hash: str, customer_id: str) -> None:
    """Add the session of a visitor who has not written, and their customer record, to a transaction.

    Their first message then starts a conversation of this customer. The transaction raises SessionChanged if the
    session exists, so that two first requests of one session make one customer.
    """
    session = Session(
        organization=organization,
        hash=session_hash,
        customer_id=customer_id,
        current=None,
        handled_by=STARTED.handled_by.value,
        identity_fingerprint=customers.fingerprint(None),
    )
    repository.put(transaction, session)
    customers.create(transaction, organization, customer_id, session_hash, None)


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
