"""Visitors by their sessions, for every noun."""

from helpdesk.conversations.messages import repository
from helpdesk.conversations.messages.repository import SessionChanged
from helpdesk.conversations.session_record import Session
from helpdesk.conversations.state import STARTED
from helpdesk.customers import service as customers
from helpdesk.customers.service import Said
from helpdesk.storage.transactions import Transaction

__all__ = ["Session", "SessionChanged"]  # and everything below


def session(organization: str, session_hash: str) -> Session | None:
    """Return a session by its hash, or None before its first message."""
    return repository.sessions.find(organization, session_hash)


def introduce(
    transaction: Transaction,
    organization: str,
    session_hash: str,
    customer_id: str,
    said: Said | None = None,
) -> None:
    """Add the session of a visitor who has not written, and their customer record, to a transaction.

    `said` is what is known about them. Their first message then starts a conversation of this customer. The transaction
    raises SessionChanged if the session exists, so that two first requests of one session make one customer.
    """
    session = Session(
        organization=organization,
        hash=session_hash,
        customer_id=customer_id,
        current=None,
        handled_by=STARTED.handled_by.value,
        identity_fingerprint=customers.fingerprint(said),
    )
    transaction.put(session, new=True, on_failure=SessionChanged)
    customers.create(transaction, organization, customer_id, session_hash, said)
