"""Export of where a conversation appears in Discord."""

from helpdesk.chatcommunity import feed_repository
from helpdesk.chatcommunity.record import Feed


def of_conversation(organization: str, conversation_id: str) -> list[Feed]:
    """Return the threads and channels in which something of a conversation was posted. One query."""
    return feed_repository.places_of(organization, conversation_id)
