"""Export of where a conversation appears in Discord."""

from helpdesk.integrations.discord.record import CommunityFeed, feeds


def of_conversation(organization: str, conversation_id: str) -> list[CommunityFeed]:
    """Return the threads and channels in which something of a conversation was posted. One query."""
    return feeds.all(organization, conversation_id, consistent=True)
