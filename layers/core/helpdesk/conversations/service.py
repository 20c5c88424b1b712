"""The inbox: answering conversations, and moving them between states.

Specification: States and transitions, Conversation. A move reads the conversation, asks the table of moves what
becomes of it, and writes under the condition that it is still what was read; one who was overtaken tries again
with what it is now. A move that changes nothing answers ok and sends nothing.
"""

from collections.abc import Callable, Sequence

from helpdesk.admission.caller import Caller
from helpdesk.conversations import repository, snooze_repository, thread
from helpdesk.conversations.content import require_body
from helpdesk.conversations.errors import ConversationArchived
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.rendering import state_shape
from helpdesk.conversations.schemas import NoteAccepted, NoteInput, ReplyAccepted, ReplyInput
from helpdesk.conversations.state import (
    Handler,
    Speaker,
    State,
    Status,
    Transition,
    Visibility,
    apply,
    apply_reply,
    emits_event,
)
from helpdesk.files import service as files
from helpdesk.organizations import service as organizations
from helpdesk.platform import clock, ids
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Conflict, Transaction

_TRIES = 8


def transition(caller: Caller, conversation_id: str, chosen: Transition) -> None:
    """Make a move; where it settles or opens a conversation or changes its handler, conversation.updated is sent.

    Raises ConversationNotFound, ConversationArchived, NotArchived.
    """

    def write(transaction: Transaction, conversation: Conversation) -> None:
        state = apply(conversation.state, chosen)
        if state != conversation.state:
            write_transition(transaction, conversation, state)

    retry_on_conflict(caller.organization, conversation_id, write, also_archived=True)


def write_transition(
    transaction: Transaction, before: Conversation, state: State, *, values: Item | None = None
) -> None:
    """Add to a transaction what a move made of a conversation, with all that follows from it."""
    repository.save(transaction, before, state, values=values)
    if before.state.visibility is Visibility.SNOOZED and state.visibility is not Visibility.SNOOZED:
        snooze_repository.forget(transaction, before)
    _announce_opening(transaction, before, state)
    told = emits_event(before.state, state)
    unanswered = _left_to_the_agent(before, state) if told or before.archived else None
    if told:
        thread.add_updated(transaction, before, state, clock.now_ms(), unanswered)
    elif unanswered is not None:
        thread.add_work_for_the_agent(transaction, before, unanswered)


def reply(caller: Caller, conversation_id: str, written: ReplyInput) -> ReplyAccepted:
    """Write a teammate's message; a key speaks as the organization.

    Sends message.created alone, also where the reply takes over or reopens (Specification: Events). Raises
    ConversationNotFound, ConversationArchived, EmptyMessage, MessageTooLong, TooManyAttachments, AttachmentMissing.
    """
    named = [(file.id, file.name) for file in written.attachments or []]
    body = require_body(written.body, len(named))
    attachments = files.attached(caller.organization, named)
    name = caller.person.name if caller.person else organizations.name_of(caller.organization)

    def write(transaction: Transaction, conversation: Conversation) -> ReplyAccepted:
        now = clock.now_ms()
        state = apply_reply(
            conversation.state, take_over=written.take_over or False, reopen=written.reopen or False
        )
        message_id = ids.new("msg")
        # What the visitor wrote so far is answered by this: an agent that is still thinking about it falls silent.
        repository.save(transaction, conversation, state, message_at=now, values={"answeredUpTo": message_id})
        _announce_opening(transaction, conversation, state)
        thread.add_agent_message(
            transaction,
            conversation,
            state,
            message_id=message_id,
            kind="human",
            name=name,
            body=body,
            attachments=attachments,
            now=now,
        )
        return ReplyAccepted(message_id=message_id, conversation=state_shape(conversation.id, state))

    return retry_on_conflict(caller.organization, conversation_id, write)


def note(caller: Caller, conversation_id: str, written: NoteInput) -> NoteAccepted:
    """Write a note for the team; a key writes as the organization. No event tells of it.

    Raises ConversationNotFound, ConversationArchived, EmptyMessage, MessageTooLong, TooManyAttachments,
    AttachmentMissing.
    """
    named = [(file.id, file.name) for file in written.attachments or []]
    body = require_body(written.body, len(named))
    attachments = files.attached(caller.organization, named)
    name = caller.person.name if caller.person else organizations.name_of(caller.organization)

    def write(transaction: Transaction, conversation: Conversation) -> NoteAccepted:
        repository.require_unarchived(transaction, conversation)
        note_id = thread.add_note(
            transaction, conversation, name=name, body=body, attachments=attachments, now=clock.now_ms()
        )
        return NoteAccepted(message_id=note_id)

    return retry_on_conflict(caller.organization, conversation_id, write)


def by_ids(organization: str, conversation_ids: Sequence[str]) -> list[Conversation]:
    """Return conversations in the order of their ids, without those that are gone."""
    return repository.get_many(organization, conversation_ids)


def newest_messages(conversation: Conversation, limit: int) -> list[Item]:
    """Return a conversation's newest customer-visible messages, newest first."""
    return repository.newest_messages(conversation.organization, conversation.id, limit)


def messages_after(conversation: Conversation, message_id: str, limit: int) -> list[Item]:
    """Return the newest customer-visible messages of those behind an id, newest first."""
    return repository.messages_after(conversation.organization, conversation.id, message_id, limit)


def presumed_open(organization: str, conversation_id: str, handled_by: str) -> Conversation:
    """Return an open conversation as another item remembers it; a write with it proves or refutes that."""
    return Conversation(
        {
            "id": conversation_id,
            "organization": organization,
            "status": Status.OPEN.value,
            "handledBy": handled_by,
            "lastSpeaker": Speaker.VISITOR.value,
            "archivedAt": None,
        }
    )


def retry_on_conflict[T](
    organization: str,
    conversation_id: str,
    write: Callable[[Transaction, Conversation], T],
    *,
    also_archived: bool = False,
) -> T:
    """Read a conversation, let `write` fill a transaction from it, commit; again when someone else was faster.

    A transaction left empty is not sent. Raises ConversationNotFound, Conflict, and ConversationArchived unless
    `write` is for an archived one, too.
    """
    conversation = repository.get(organization, conversation_id)
    for _ in range(_TRIES):
        if conversation.archived and not also_archived:
            raise ConversationArchived
        transaction = Transaction()
        outcome = write(transaction, conversation)
        if not transaction:
            return outcome
        try:
            transaction.commit()
        except StaleConversation as stale:
            conversation = stale.conversation
        else:
            return outcome
    raise Conflict


def _left_to_the_agent(before: Conversation, state: State) -> str | None:
    """Return the visitor's message that the agent is to answer after a move, None where there is none.

    It was written while the team held the conversation, or the conversation was settled or archived before the agent
    came to it.
    """
    if state.handled_by is not Handler.AGENT or not _takes_messages(state):
        return None
    if state.last_speaker is not Speaker.VISITOR:
        return None
    newest = repository.newest_messages(before.organization, before.id, 1)
    return str(newest[0]["id"]) if newest else None


def _announce_opening(transaction: Transaction, before: Conversation, state: State) -> None:
    """Where a visitor may write in it again, it may now be the newest open one of its session."""
    if not _takes_messages(before.state) and _takes_messages(state):
        repository.forget_current(transaction, before)


def _takes_messages(state: State) -> bool:
    return state.status is Status.OPEN and state.visibility is not Visibility.ARCHIVED
