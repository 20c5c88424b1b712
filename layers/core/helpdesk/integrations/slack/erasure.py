"""Erasure of what is kept of a conversation's threads. What was posted in Slack stays there."""

from collections.abc import Sequence

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import missed
from helpdesk.integrations.slack.record import MirroredThread, MirrorThread, threads
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def threads_of(organization: str, conversation_id: str) -> list[MirroredThread]:
    """Return a conversation's threads, one for each channel that it was mirrored in. One query."""
    return threads.all(organization, conversation_id, consistent=True)


def delete_for(transaction: Transaction, found: Sequence[MirroredThread]) -> int:
    """Delete what leads to threads and back; return how many of them stay in Slack.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        transaction.delete(each.key, require={}, on_failure=ConditionFailed)
        missed.forget(transaction, each.organization, App.CHATMIRROR, each.team, each.conversation_id)
        if each.ts is not None:
            transaction.delete(MirrorThread.key_for(each.organization, each.team, each.channel, each.ts))
    return sum(each.ts is not None for each in found)
