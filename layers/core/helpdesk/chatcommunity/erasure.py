"""Erasure of what leads from a conversation to a server. What was posted in Discord stays there."""

from helpdesk.chatcommunity import feed_repository


def delete_for(organization: str, conversation_id: str) -> None:
    """Delete what is kept of where a conversation appears."""
    feed_repository.delete_for(organization, conversation_id)
