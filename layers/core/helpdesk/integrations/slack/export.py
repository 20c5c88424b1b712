"""Export of where a conversation is in Slack."""

from helpdesk.integrations.slack.record import MirroredThread, threads


def of_conversation(organization: str, conversation_id: str) -> list[MirroredThread]:
    """Return the threads in which something of a conversation was posted. One query."""
    found = threads.all(organization, conversation_id, consistent=True)
    return [each for each in found if each.ts is not None]
