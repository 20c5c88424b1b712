"""Erasure of what leads from a conversation to a server. What was posted in Discord stays there."""

from collections.abc import Sequence

from helpdesk.chatcommunity import feed_repository
from helpdesk.chatcommunity.record import Feed
from helpdesk.storage.transactions import Transaction


def places_of(organization: str, conversation_id: str) -> list[Feed]:
    """Return where a conversation appears. One query."""
    return feed_repository.places_of(organization, conversation_id)


def delete_for(transaction: Transaction, found: Sequence[Feed]) -> int:
    """Delete what leads to places and back; return how many stay in Discord.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        feed_repository.forget_place(each)
        feed_repository.delete(transaction, each)
    return len(found)
