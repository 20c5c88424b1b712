"""Removes a snooze with the conversation that it belongs to."""

from helpdesk.conversations.record import Snooze
from helpdesk.storage.transactions import Transaction


def delete_for(transaction: Transaction, organization: str, conversation_id: str) -> None:
    """Add the removal of a conversation's snooze, if there is one, to a transaction."""
    transaction.delete(Snooze.key_for(organization, conversation_id))
