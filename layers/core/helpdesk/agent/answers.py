"""Writing the agent's answer, hand-off or last word into a conversation, at most once for each visitor's message."""

from copy import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Author, Conversation, StaleConversation
from helpdesk.conversations.state import Speaker, Transition, apply
from helpdesk.files.service import NO_ATTACHMENTS
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction


def write(
    conversation: Conversation,
    *,
    answering: str,
    name: str,
    body: str,
    hand_off_reason: str | None = None,
    resolves: bool = False,
) -> bool:
    """Write the agent's message that answers up to the visitor's message `answering`.

    With a reason it also hands the conversation to the team; with `resolves` it resolves the conversation, unless
    someone has written since it was read. Sends message.created, then conversation.updated if the conversation is
    handed over or resolved; both carry the state after the change (Specification: Events). Returns False, with nothing
    written, if the conversation was resolved, archived, taken over, answered or erased since it was read.
    """
    now = clock.now_ms()
    state = replace(conversation.state, last_speaker=Speaker.AGENT)
    line = None
    if hand_off_reason is not None:
        state = apply(state, Transition.HAND_OFF)
        line = f"{name} handed this conversation to the team: {hand_off_reason}."
    elif resolves:
        state = apply(state, Transition.RESOLVE)
        line = f"{name} resolved this conversation: the visitor said that all is well."
    transaction = Transaction()
    conversations.write_answer(
        transaction,
        conversation,
        state,
        message_at=now,
        answered_up_to=answering,
        handed_off=hand_off_reason is not None,
        only_if_newest=resolves,
    )
    thread.add_agent_message(
        transaction,
        conversation,
        state,
        author=Author("ai", name),
        body=body,
        attachments=NO_ATTACHMENTS,
        now=now,
    )
    if line is not None:
        thread.add_system_line(transaction, conversation, line, now)
        thread.add_updated(transaction, conversation, state, now)
    try:
        transaction.commit()
    except (StaleConversation, ConversationNotFound):
        return False
    return True
