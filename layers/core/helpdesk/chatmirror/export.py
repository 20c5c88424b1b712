"""Export of where a conversation is in Slack."""

from helpdesk.chatmirror import mirrored_repository
from helpdesk.chatmirror.record import MirroredThread


def of_conversation(organization: str, conversation_id: str) -> list[MirroredThread]:
    """Return the threads in which something of a conversation was posted. One query."""
    found = mirrored_repository.threads_of(organization, conversation_id)
    return [each for each in found if each.thread is not None]
