"""Conversations' items, for tests of what is stored."""

from helpdesk.storage import keys, table
from helpdesk.storage.table import Item


def stored(organization: str, conversation_id: str) -> Item:
    """Return the item of a conversation."""
    item = table.get(keys.Conversation(organization, conversation_id))
    assert item is not None
    return item
