"""Erasure of what is kept of a conversation's threads. What was posted in Slack stays there."""

from collections.abc import Sequence

from helpdesk.chatmirror import mirrored_repository
from helpdesk.chatmirror.record import MirroredThread
from helpdesk.storage.transactions import Transaction


def threads_of(organization: str, conversation_id: str) -> list[MirroredThread]:
    """Return a conversation's threads. One query."""
    return mirrored_repository.threads_of(organization, conversation_id)


def delete_for(transaction: Transaction, found: Sequence[MirroredThread]) -> int:
    """Delete what leads to threads and back; return how many of them stay in Slack.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        mirrored_repository.delete(transaction, each)
    return sum(each.thread is not None for each in found)
