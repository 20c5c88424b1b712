"""Erasure of what is kept of a conversation's threads. What was posted in Slack stays there."""

from helpdesk.chatmirror import thread_repository


def delete_for(organization: str, conversation_id: str) -> None:
    """Delete what leads from a conversation to its threads and back."""
    thread_repository.delete_for(organization, conversation_id)
