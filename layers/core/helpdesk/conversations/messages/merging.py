"""Moving the conversations of a visitor's session to the session of the customer who they are."""

from helpdesk.conversations.messages import repository
from helpdesk.conversations.session_record import Session
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = ["Session"]  # and everything below


def close(organization: str, session_hash: str, customer_id: str) -> None:
    """Remove a customer's session: who has its token is a new visitor. Nothing happens if it is another's by now."""
    transaction = Transaction()
    repository.delete(transaction, organization, session_hash, customer_id, None)
    try:
        transaction.commit()
    except ConditionFailed:
        return


def session(organization: str, session_hash: str) -> Session | None:
    """Return a session, or None."""
    return repository.sessions.find(organization, session_hash)


def move(transaction: Transaction, before_hash: str, after: Session, conversation_id: str) -> None:
    """Add to a transaction that a conversation is in the list of another session.

    It can be the newest open one there, so the next message looks for that (docs/decisions/0110). The transaction
    raises ConditionFailed if the other session is gone.
    """
    repository.delete_conversation(transaction, after.organization, before_hash, conversation_id)
    repository.put_conversation(transaction, after, conversation_id)
    transaction.change(
        after.key,
        set={"current": None},
        add={"openings": 1},
        require={"customer_id": after.customer_id},
        on_failure=ConditionFailed,
    )
