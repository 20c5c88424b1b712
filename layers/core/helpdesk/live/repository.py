"""Items of live connections and tokens."""

from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.live.record import MEMBERS, LiveConnection, LiveToken
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored


class ConversationSession(Stored, kw_only=True):
    """Which session a conversation is of, None if the team began it without one."""

    VIEW_OF = "Conversation"
    PK, SK = "ORG#{organization}#CONV#{id}", "CONV"
    organization: str
    id: str
    session_hash: str | None = None
    erasing: str | None = None


tokens = Collection(LiveToken)
connections = Collection(LiveConnection)
_conversations = Collection(ConversationSession)


def held_by(organization: str, holder: str, *, consistent: bool = False) -> list[LiveConnection]:
    """Return the connections of a person or of a session. One query."""
    return _beginning_with(organization, f"{holder}#", consistent=consistent)


def of_members(organization: str, *, consistent: bool = False) -> list[LiveConnection]:
    """Return the connections of all teammates of an organization. One query for each megabyte."""
    return _beginning_with(organization, MEMBERS, consistent=consistent)


def _beginning_with(organization: str, holders: str, *, consistent: bool) -> list[LiveConnection]:
    partition, now = LiveConnection.partition_for(organization), clock.now_ms()
    prefix = f"{LiveConnection.sk_prefix()}{holders}"
    found = table.query_all(partition, sk_prefix=prefix, consistent=consistent)
    return [each for each in map(LiveConnection.from_item, found) if each.valid_until > now]


def view(connection: LiveConnection, conversation_id: str | None) -> str | None:
    """Note the conversation that a person has open; return the one before. Raises ConditionFailed if they have left."""
    before = table.change(
        connection.key,
        set={"viewing": conversation_id},
        require={"connection_id": connection.connection_id},
        returning="ALL_OLD",
    )
    return LiveConnection.from_item(before).viewing


def find_connection(organization: str, holder: str, place: str, connection_id: str) -> LiveConnection | None:
    """Return a connection, None if its place is free or another's by now."""
    found = connections.find(organization, holder, place)
    return found if found is not None and found.connection_id == connection_id else None


def session_of(organization: str, conversation_id: str) -> str | None:
    """Return the hash of a conversation's session, None if it has none. Raises ConversationNotFound."""
    found = _conversations.find(organization, conversation_id, consistent=False)
    if found is None or found.erasing:
        raise ConversationNotFound
    return found.session_hash
