"""Erasure of a conversation's runs. What tools were called with, and what they returned, can be about the customer."""

from collections.abc import Sequence

from helpdesk.agent_runs import repository
from helpdesk.storage.transactions import Transaction


def message_ids(organization: str, conversation_id: str) -> list[str]:
    """Return the messages of a conversation that have a run."""
    return repository.message_ids(organization, conversation_id)


def delete_for(
    transaction: Transaction, organization: str, conversation_id: str, message_ids: Sequence[str]
) -> None:
    """Add the removal of runs to a transaction. It raises ConditionFailed if one of them is gone."""
    for message_id in message_ids:
        repository.delete(transaction, organization, conversation_id, message_id)
