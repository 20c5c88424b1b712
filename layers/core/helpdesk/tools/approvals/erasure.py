"""Erasure of a conversation's approvals. Their inputs and results can be about the customer."""

from collections.abc import Sequence

from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import repository


def ids_in(organization: str, conversation_id: str) -> list[str]:
    """Return the ids of a conversation's approvals."""
    return repository.ids_in(organization, conversation_id)


def delete_for(
    transaction: Transaction, organization: str, conversation_id: str, approval_ids: Sequence[str]
) -> None:
    """Add the removal of approvals to a transaction. It raises ConditionFailed if one of them is gone."""
    for approval_id in approval_ids:
        repository.delete(transaction, organization, conversation_id, approval_id)
