"""Conversations' items, for tests of what is stored."""

from helpdesk.conversations.record import Conversation
from helpdesk.storage import table
from helpdesk.storage.table import Item


def waiting_place(item: Item) -> Item:
    """Return where a conversation's item is among those that wait, empty if it isn't there."""
    return {name: item[name] for name in ("GSI4PK", "GSI4SK") if name in item}


def stored(organization: str, conversation_id: str) -> Item:
    """Return the item of a conversation."""
    item = table.get(Conversation.key_for(organization, conversation_id))
    assert item is not None
    return item
