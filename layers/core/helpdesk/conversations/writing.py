"""What teammates write in a conversation: replies and notes (Specification: Conversation)."""

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import jobs, thread
from helpdesk.conversations.errors import ConversationMoved
from helpdesk.conversations.files import service as files
from helpdesk.conversations.files.service import Attachments
from helpdesk.conversations.message_record import Author, EntryKind, Note
from helpdesk.conversations.record import Conversation, Snapshot, StaleConversation
from helpdesk.conversations.rendering import state_shape
from helpdesk.conversations.schemas import NoteAccepted, NoteInput, ReplyAccepted, ReplyInput
from helpdesk.conversations.service import forget_hint, retry_on_conflict
from helpdesk.conversations.state import apply_reply
from helpdesk.platform import clock, ids
from helpdesk.search import jobs as search
from helpdesk.storage.transactions import Transaction


def reply(caller: Caller, conversation_id: str, written: ReplyInput) -> ReplyAccepted:
    """Write a teammate's message; a key writes as the organization.

    Sends message.created alone, even if the reply takes over or reopens (Specification: Events). Raises
    ConversationNotFound, ConversationArchived, ConversationMoved, EmptyMessage, MessageTooLong, TooManyAttachments,
    AttachmentMissing.
    """
    body, attachments, name = _written(caller, written)
    seen = written.if_last_message_id

    def write(transaction: Transaction, conversation: Conversation) -> ReplyAccepted:
        if seen not in {None, conversation.newest_message_id}:
            raise ConversationMoved(conversation.newest_message_id)
        state = apply_reply(
            conversation.state, take_over=written.take_over or False, reopen=written.reopen or False
        )
        learns = (
            () if conversation.gap is None else (jobs.learn_job(conversation.organization, conversation.id),)
        )
        message_id = thread.append_by_team(
            transaction,
            conversation,
            state,
            thread.by_teammate(name, body, attachments),
            learns,
            only_if_newest=seen is not None,
        )
        forget_hint(transaction, conversation, state)
        return ReplyAccepted(message_id=message_id, conversation=state_shape(conversation.id, state))

    return retry_on_conflict(caller.organization, conversation_id, write)


def note(caller: Caller, conversation_id: str, written: NoteInput) -> NoteAccepted:
    """Write a note for the team, which sends no event; a key writes as the organization.

    Raises ConversationNotFound, ConversationArchived, EmptyMessage, MessageTooLong, TooManyAttachments,
    AttachmentMissing.
    """
    body, attachments, name = _written(caller, written)

    def write(transaction: Transaction, conversation: Conversation) -> NoteAccepted:
        transaction.require(conversation.key, {"archived_at": None}, on_failure=StaleConversation)
        note_id = _add_note(
            transaction, conversation, name=name, body=body, attachments=attachments, now=clock.now_ms()
        )
        return NoteAccepted(message_id=note_id)

    return retry_on_conflict(caller.organization, conversation_id, write)


def _written(caller: Caller, written: ReplyInput | NoteInput) -> tuple[str, Attachments, str]:
    """Return what a teammate writes: the text, the files and the name of its author."""
    named = [(file.id, file.name) for file in written.attachments or []]
    body = thread.require_body(written.body, len(named))
    attachments = files.attached(caller.organization, named)
    return body, attachments, Actor(caller).name


def _add_note(
    transaction: Transaction,
    conversation: Snapshot,
    *,
    name: str,
    body: str,
    attachments: Attachments,
    now: int,
) -> str:
    """Add a teammate's note, which only the team sees and which sends no event; return its id."""
    note = Note(
        organization=conversation.organization,
        id=ids.new("msg"),
        conversation_id=conversation.id,
        created_at=now,
        sender="agent",
        author=Author("human", name),
        body=body,
        attachments=attachments.shown,
        kind=EntryKind.NOTE,
    )
    attachments.keep(transaction, conversation.organization, note.id)
    transaction.put(note, new=True)
    search.put(transaction, search.note(conversation.organization, conversation.id, note.id))
    return note.id
