"""Erasure of a conversation's runs. What tools were called with, and what they returned, can be about the customer."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.agent_runs import repository
from helpdesk.agent_runs.record import Run
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals.jobs import RunWatch


class ErasableRun(NamedTuple):
    """A run by its message, and its calls by their ids."""

    message_id: str
    call_ids: list[str]


def runs_in(organization: str, conversation_id: str) -> list[ErasableRun]:
    """Return the runs of a conversation. One query."""
    found = repository.runs.all(organization, conversation_id)
    return [ErasableRun(run.message_id, [call.id for call in run.calls]) for run in found]


def delete_for(
    transaction: Transaction, organization: str, conversation_id: str, message_ids: Sequence[str]
) -> None:
    """Add the removal of runs and their watches to a transaction. It raises ConditionFailed if a run is gone."""
    for message_id in message_ids:
        transaction.delete(RunWatch.key_for(organization, conversation_id, message_id))
        run = Run.key_for(organization, conversation_id, message_id)
        transaction.delete(run, require={}, on_failure=ConditionFailed)
