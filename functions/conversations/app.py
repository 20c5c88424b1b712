"""/v1/conversations, /v1/tags, /v1/replies and /v1/approvals: the inbox, and the calls of tools that wait."""

from helpdesk.accounts.teams.errors import TeamNotFound
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok, PageQuery
from helpdesk.api.routing.api import Api
from helpdesk.conversations import assigning, listing, merging, read_state, snoozes, tags, writing
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import (
    BadSnoozeTime,
    ConversationArchived,
    ConversationMerged,
    ConversationMoved,
    ConversationNotFound,
    DifferentCustomers,
    DiscordNotMerged,
    EmptyMessage,
    InvalidTag,
    MailNotMerged,
    MailSourceNotFound,
    MergeApprovalsPending,
    MergedWithItself,
    MessageTooLong,
    NotAMember,
    NotArchived,
    TooManyAttachments,
    TooManyMerged,
)
from helpdesk.conversations.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.conversations.replies import service as replies
from helpdesk.conversations.replies.errors import ReplyNotFound, TooManyReplies, UnknownPlaceholder
from helpdesk.conversations.replies.schemas import (
    SavedRepliesAnswer,
    SavedReplyInput,
    SavedReplyShape,
    SavedReplyUpdate,
)
from helpdesk.conversations.schemas import (
    AssignInput,
    ConversationAnswer,
    ConversationsAnswer,
    ConversationsQuery,
    MailSourceAnswer,
    MergeConversationInput,
    NoteAccepted,
    NoteInput,
    ReadInput,
    ReplyAccepted,
    ReplyInput,
    SnoozeInput,
    TagsAnswer,
    TagsInput,
    TagsQuery,
)
from helpdesk.conversations.state import Transition
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.tools.approvals import service as approvals
from helpdesk.tools.approvals.errors import ApprovalExpired, ApprovalNotFound, ApprovalSettled
from helpdesk.tools.approvals.schemas import ApprovalAnswer, ApprovalDecision, ApprovalsAnswer, ApprovalsQuery

NEEDS = declare("BASE_URL", "FILES_BUCKET", "SEARCH_BUCKET")

api = Api()


@api.get("/v1/conversations", access=Access.MEMBER, errors=(InvalidCursor, InvalidTag))
def list_conversations(caller: Caller, query: ConversationsQuery) -> ConversationsAnswer:
    """List conversations, most recently active first."""
    return listing.newest(caller, query)


@api.get(
    "/v1/conversations/<conversation_id>", access=Access.MEMBER, errors=(ConversationNotFound, InvalidCursor)
)
def get_conversation(caller: Caller, conversation_id: str, page: PageQuery) -> ConversationAnswer:
    """Get a conversation with the newest page of its thread."""
    return listing.get(caller, conversation_id, page)


@api.get(
    "/v1/conversations/<conversation_id>/messages/<message_id>/source",
    access=Access.MEMBER,
    errors=(ConversationNotFound, MailSourceNotFound),
)
def get_mail_source(caller: Caller, conversation_id: str, message_id: str) -> MailSourceAnswer:
    """Get the whole mail that a message came in, for 30 days."""
    return listing.mail_source(caller, conversation_id, message_id)


@api.post(
    "/v1/conversations/<conversation_id>/reply",
    access=Access.MEMBER,
    errors=(
        ConversationNotFound,
        ConversationArchived,
        ConversationMerged,
        ConversationMoved,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def reply(caller: Caller, conversation_id: str, message: ReplyInput) -> ReplyAccepted:
    """Reply to the visitor. A reply can also take over the conversation or reopen it."""
    return writing.reply(caller, conversation_id, message)


@api.post(
    "/v1/conversations/<conversation_id>/note",
    access=Access.MEMBER,
    errors=(
        ConversationNotFound,
        ConversationArchived,
        ConversationMerged,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def write_note(caller: Caller, conversation_id: str, note: NoteInput) -> NoteAccepted:
    """Add an internal note. Only the team sees it, and no event is sent."""
    return writing.note(caller, conversation_id, note)


@api.post(
    "/v1/conversations/<conversation_id>/assign",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationArchived, ConversationMerged, NotAMember, TeamNotFound),
)
def assign_conversation(caller: Caller, conversation_id: str, assignment: AssignInput) -> Ok:
    """Assign a conversation to a member or a team, or unassign it. A line in the thread shows it to the team."""
    assigning.assign(caller, conversation_id, assignment.model_dump(exclude_unset=True))
    return OK


@api.put(
    "/v1/conversations/<conversation_id>/read", access=Access.ACCOUNT_MEMBER, errors=(ConversationNotFound,)
)
def mark_read(caller: Caller, conversation_id: str, read: ReadInput) -> Ok:
    """Mark a conversation as read up to a message. It concerns only you, and never goes back."""
    read_state.mark(caller, conversation_id, read.message_id)
    return OK


@api.post(
    "/v1/conversations/<conversation_id>/snooze",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationArchived, ConversationMerged, BadSnoozeTime),
)
def snooze_conversation(caller: Caller, conversation_id: str, snooze: SnoozeInput) -> Ok:
    """Snooze a conversation, or end its snooze. It wakes at the time you give. A resolved conversation reopens."""
    snoozes.snooze(caller, conversation_id, snooze)
    return OK


@api.put(
    "/v1/conversations/<conversation_id>/tags",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationArchived, ConversationMerged, InvalidTag),
)
def tag_conversation(caller: Caller, conversation_id: str, wanted: TagsInput) -> Ok:
    """Replace the tags of a conversation. No event is sent."""
    tags.replace_tags(caller, conversation_id, wanted.tags)
    return OK


@api.get("/v1/tags", access=Access.MEMBER, errors=(InvalidCursor,))
def list_tags(caller: Caller, query: TagsQuery) -> TagsAnswer:
    """List the tags that your team has used in the last year."""
    return tags.listed(caller, query)


def _declare_move(move: Transition, doing: str) -> None:
    def make_move(caller: Caller, conversation_id: str) -> Ok:
        conversations.transition(caller, conversation_id, move)
        return OK

    make_move.__name__ = f"{move.name.lower()}_conversation"
    make_move.__doc__ = f"{doing} A call that changes nothing succeeds and sends no event."
    api.post(
        f"/v1/conversations/<conversation_id>/{move.value}",
        access=Access.MEMBER,
        errors=(ConversationNotFound, ConversationArchived, ConversationMerged),
    )(make_move)


_declare_move(Transition.TAKE_OVER, "Take over a conversation. The agent no longer answers in it.")
_declare_move(Transition.HAND_BACK, "Hand an open conversation back to the agent.")
_declare_move(Transition.RESOLVE, "Resolve a conversation. Closing it is the same.")
_declare_move(
    Transition.CLOSE, "Close a conversation. This is the same as resolving it: its status is `resolved`."
)
_declare_move(Transition.REOPEN, "Reopen a conversation.")


@api.post(
    "/v1/conversations/<conversation_id>/merge",
    access=Access.MEMBER,
    errors=(
        ConversationNotFound,
        ConversationArchived,
        ConversationMerged,
        MergedWithItself,
        DifferentCustomers,
        DiscordNotMerged,
        MailNotMerged,
        MergeApprovalsPending,
        TooManyMerged,
    ),
)
def merge_conversation(caller: Caller, conversation_id: str, wanted: MergeConversationInput) -> Ok:
    """Merge this conversation into another one of its customer, in which it ends. You can't undo it."""
    merging.merge(caller, conversation_id, wanted.into)
    return OK


@api.post(
    "/v1/conversations/<conversation_id>/archive",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationMerged),
)
def archive_conversation(caller: Caller, conversation_id: str) -> Ok:
    """Archive a conversation. It accepts no writes and appears in no other list. A snooze ends."""
    conversations.transition(caller, conversation_id, Transition.ARCHIVE)
    return OK


@api.post(
    "/v1/conversations/<conversation_id>/unarchive",
    access=Access.MEMBER,
    errors=(ConversationNotFound, ConversationMerged, NotArchived),
)
def unarchive_conversation(caller: Caller, conversation_id: str) -> Ok:
    """Unarchive a conversation. Its status, handler and assignee are as they were before."""
    conversations.transition(caller, conversation_id, Transition.UNARCHIVE)
    return OK


@api.get("/v1/replies", access=Access.MEMBER, errors=(InvalidCursor,))
def list_replies(caller: Caller, page: PageQuery) -> SavedRepliesAnswer:
    """List saved replies, newest first."""
    return replies.newest(caller, page)


@api.post("/v1/replies", access=Access.MEMBER, errors=(UnknownPlaceholder, TooManyReplies))
def create_reply(caller: Caller, written: SavedReplyInput) -> SavedReplyShape:
    """Save a text that your team sends often."""
    return replies.create(caller, written)


@api.patch("/v1/replies/<reply_id>", access=Access.MEMBER, errors=(ReplyNotFound, UnknownPlaceholder))
def update_reply(caller: Caller, reply_id: str, change: SavedReplyUpdate) -> SavedReplyShape:
    """Change the title or the text of a saved reply."""
    return replies.update(caller, reply_id, change)


@api.delete("/v1/replies/<reply_id>", access=Access.MEMBER, errors=(ReplyNotFound,))
def delete_reply(caller: Caller, reply_id: str) -> Ok:
    """Delete a saved reply."""
    replies.remove(caller, reply_id)
    return OK


_DECIDING = (ApprovalNotFound, ApprovalSettled, ApprovalExpired, ConversationArchived)


@api.get("/v1/approvals", access=Access.MEMBER, errors=(InvalidCursor,))
def list_approvals(caller: Caller, query: ApprovalsQuery) -> ApprovalsAnswer:
    """List approvals of tool calls, newest first. Filter by status."""
    return approvals.newest(caller, query)


@api.get("/v1/approvals/<approval_id>", access=Access.MEMBER, errors=(ApprovalNotFound,))
def get_approval(caller: Caller, approval_id: str) -> ApprovalAnswer:
    """Get an approval: the tool call, the decision, and the outcome of the call."""
    return approvals.get(caller.organization, approval_id)


@api.post("/v1/approvals/<approval_id>/approve", access=Access.MEMBER, errors=_DECIDING)
def approve_tool_call(caller: Caller, approval_id: str, decision: ApprovalDecision) -> ApprovalAnswer:
    """Approve a tool call. It is made once, with the input that you see, and the agent goes on with its result."""
    return approvals.approve(caller, approval_id, decision)


@api.post("/v1/approvals/<approval_id>/deny", access=Access.MEMBER, errors=_DECIDING)
def deny_tool_call(caller: Caller, approval_id: str, decision: ApprovalDecision) -> ApprovalAnswer:
    """Deny a tool call. The agent reads your note and goes on without the call."""
    return approvals.deny(caller, approval_id, decision)


handler = api.handler
