"""Moves an anonymous customer's conversation to the customer who signed in."""

from helpdesk.conversations import repository
from helpdesk.storage.transactions import Transaction


def give(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    *,
    before_id: str,
    after_id: str,
    session_hash: str,
) -> None:
    """Add to a transaction that a conversation is another customer's, in their session.

    The transaction raises ConditionFailed if it is no longer the first customer's, or is being erased.
    """
    repository.give(transaction, organization, conversation_id, before_id, after_id, session_hash)
