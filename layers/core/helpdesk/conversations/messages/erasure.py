"""Erasure of visitors' sessions (docs/decisions/0062)."""

from helpdesk.conversations.messages import repository
from helpdesk.conversations.session_record import Session
from helpdesk.storage.transactions import Transaction


def session(organization: str, session_hash: str) -> Session | None:
    """Return a session, or None."""
    return repository.sessions.find(organization, session_hash)


def delete_session(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str,
    seen: Session | None = None,
) -> None:
    """Add the removal of a customer's session to a transaction. The next message in it creates another customer.

    With `seen` the session's conversation must be the same. The transaction raises ConditionFailed otherwise, or if the
    session now belongs to another customer.
    """
    repository.delete(transaction, organization, session_hash, customer_id, seen)


def conversation_ids(organization: str, session_hash: str) -> set[str]:
    """Return the ids of a session's conversations, read consistently."""
    return repository.conversation_ids(organization, session_hash)


def delete_for(transaction: Transaction, organization: str, session_hash: str, conversation_id: str) -> None:
    """Add to a transaction that a conversation is removed from its session's list."""
    repository.delete_conversation(transaction, organization, session_hash, conversation_id)
