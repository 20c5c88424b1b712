"""Erasure of what leads from a conversation to a server. What was posted in Discord stays there."""

from collections.abc import Sequence

from helpdesk.integrations.discord import feed_repository
from helpdesk.integrations.discord.record import CommunityFeed, feeds
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def places_of(organization: str, conversation_id: str) -> list[CommunityFeed]:
    """Return where a conversation appears, in every server. One query."""
    return feeds.all(organization, conversation_id, consistent=True)


def delete_for(transaction: Transaction, found: Sequence[CommunityFeed]) -> int:
    """Delete what leads to places and back; return how many stay in Discord.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        feed_repository.forget_place(each)
        transaction.delete(each.key, require={}, on_failure=ConditionFailed)
    return len(found)
