"""Erasure of a conversation's runs. What tools were called with, and what they returned, can be about the customer."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.agent_runs import repository
from helpdesk.storage.transactions import Transaction


class ErasableRun(NamedTuple):
    """A run by its message, and its calls by their ids."""

    message_id: str
    call_ids: list[str]


def runs_in(organization: str, conversation_id: str) -> list[ErasableRun]:
    """Return the runs of a conversation. One query."""
    found = repository.call_ids(organization, conversation_id)
    return [ErasableRun(message_id, calls) for message_id, calls in found.items()]


def delete_for(
    transaction: Transaction, organization: str, conversation_id: str, message_ids: Sequence[str]
) -> None:
    """Add the removal of runs to a transaction. It raises ConditionFailed if one of them is gone."""
    for message_id in message_ids:
        repository.delete(transaction, organization, conversation_id, message_id)
