"""/v1/conversations: the team's inbox."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.conversations import assigning, listing, snoozing
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import (
    BadSnoozeTime,
    ConversationArchived,
    ConversationNotFound,
    EmptyMessage,
    MessageTooLong,
    NotAMember,
    NotArchived,
    TooManyAttachments,
)
from helpdesk.conversations.schemas import (
    AssignInput,
    ConversationAnswer,
    ConversationsAnswer,
    ConversationsQuery,
    NoteAccepted,
    NoteInput,
    ReplyAccepted,
    ReplyInput,
    SnoozeInput,
)
from helpdesk.conversations.state import Move
from helpdesk.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.http.schemas import OK, Ok, PageQuery
from helpdesk.platform.errors import InvalidCursor
from helpdesk.routing.api import Api

api = Api()


@api.get("/v1/conversations", access=Access.MEMBER, errors=(InvalidCursor,))
def list_conversations(caller: Caller, query: ConversationsQuery) -> ConversationsAnswer:
    """List conversations, the most recently active first."""
    return listing.newest(caller, query)


@api.get(
    "/v1/conversations/<conversation_id>", access=Access.MEMBER, errors=(ConversationNotFound, InvalidCursor)
)
def get_conversation(caller: Caller, conversation_id: str, page: PageQuery) -> ConversationAnswer:
    """Return one conversation with the newest page of its thread."""
    return listing.get(caller, conversation_id, page)


@api.post(
    "/v1/conversations/<conversation_id>/reply",
    access=Access.MEMBER,
    errors=(
        ConversationNotFound,
        ConversationArchived,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def reply(caller: Caller, conversation_id: str, message: ReplyInput) -> ReplyAccepted:
    """Write to the visitor as a teammate; may take the conversation over or reopen it."""
    return conversations.reply(caller, conversation_id, message)


@api.post(
    "/v1/conversations/<conversation_id>/note",
    access=Access.MEMBER,
    errors=(
        ConversationNotFound,
        ConversationArchived,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def write_note(caller: Caller, conversation_id: str, note: NoteInput) -> NoteAccepted:
    """Write a note that only the team sees. No event tells of it."""
    return conversations.note(caller, conversation_id, note)


@api.post(
    "/v1/conversations/<conversation_id>/assign",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationArchived, NotAMember),
)
def assign_conversation(caller: Caller, conversation_id: str, assignment: AssignInput) -> Ok:
    """Assign a conversation to a member of the organization, or to nobody. A line in the thread tells the team."""
    assigning.assign(caller, conversation_id, assignment.user_id)
    return OK


@api.post(
    "/v1/conversations/<conversation_id>/snooze",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationArchived, BadSnoozeTime),
)
def snooze_conversation(caller: Caller, conversation_id: str, snooze: SnoozeInput) -> Ok:
    """Snooze a conversation until a time, when it wakes by itself, or end its snooze. A settled one opens."""
    snoozing.snooze(caller, conversation_id, snooze)
    return OK


def _declare_move(move: Move, doing: str) -> None:
    def make_move(caller: Caller, conversation_id: str) -> Ok:
        conversations.move(caller, conversation_id, move)
        return OK

    make_move.__name__ = f"{move.name.lower()}_conversation"
    make_move.__doc__ = f"{doing} A move that changes nothing answers ok and sends nothing."
    api.post(
        f"/v1/conversations/<conversation_id>/{move.value}",
        access=Access.MEMBER,
        errors=(ConversationNotFound, ConversationArchived),
    )(make_move)


_declare_move(Move.TAKE_OVER, "Put a conversation in the team's hands: the agent falls silent.")
_declare_move(Move.HAND_BACK, "Put an open conversation in the agent's hands again.")
_declare_move(Move.RESOLVE, "Settle a conversation.")
_declare_move(Move.CLOSE, "Settle a conversation without calling it solved; it reads as resolved.")
_declare_move(Move.REOPEN, "Open a settled conversation again.")


@api.post("/v1/conversations/<conversation_id>/archive", access=Access.MEMBER, errors=(ConversationNotFound,))
def archive_conversation(caller: Caller, conversation_id: str) -> Ok:
    """Put a conversation into the archive: it takes no writes and stands in no other list. A snooze ends."""
    conversations.move(caller, conversation_id, Move.ARCHIVE)
    return OK


@api.post(
    "/v1/conversations/<conversation_id>/unarchive",
    access=Access.MEMBER,
    errors=(ConversationNotFound, NotArchived),
)
def unarchive_conversation(caller: Caller, conversation_id: str) -> Ok:
    """Take a conversation out of the archive; its status, handler and assignee are what they were."""
    conversations.move(caller, conversation_id, Move.UNARCHIVE)
    return OK


handler = api.handler
