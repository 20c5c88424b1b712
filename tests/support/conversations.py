"""Conversations' items, for tests of what is stored."""

from helpdesk.conversations.record import Conversation
from helpdesk.storage import table
from helpdesk.storage.table import Item


def stored(organization: str, conversation_id: str) -> Item:
    """Return the item of a conversation."""
    item = table.get(Conversation.key_for(organization, conversation_id))
    assert item is not None
    return item
