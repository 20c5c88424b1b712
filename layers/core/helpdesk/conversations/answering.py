"""The agent's side of a thread: what it has answered, and writing an answer or a handoff at most once."""

from dataclasses import replace

from helpdesk.conversations import repository, thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Speaker, Transition, apply
from helpdesk.files.service import NO_ATTACHMENTS
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction


def find(organization: str, conversation_id: str) -> Conversation | None:
    """Return a conversation, or None where there is none: erased since, or another organization's."""
    try:
        return repository.get(organization, conversation_id)
    except ConversationNotFound:
        return None


def answered_up_to(conversation: Conversation) -> str:
    """Return the id of the last message that the agent has answered, empty before its first answer."""
    return str(conversation.item.get("answeredUpTo") or "")


def was_handed_off(conversation: Conversation) -> bool:
    """Tell whether the agent ever handed the conversation to the team."""
    return "handedOffAt" in conversation.item


def answer(
    conversation: Conversation,
    *,
    answering: str,
    name: str,
    body: str,
    hand_off_reason: str | None = None,
    ends: bool = False,
) -> bool:
    """Write the agent's message that answers up to a visitor's message; with a reason, also hand over to the team.

    With `ends` it resolves the conversation, unless someone has written since it was read. Sends message.created, and
    conversation.updated after it where the conversation is handed over or resolved; both carry the state after the
    change (Specification: Events). Returns False, with nothing written, where the conversation was settled, archived,
    taken over, answered (by a teammate, too) or erased since it was read.
    """
    now = clock.now_ms()
    state = replace(conversation.state, last_speaker=Speaker.AGENT)
    if hand_off_reason is not None:
        state = apply(state, Transition.HAND_OFF)
    elif ends:
        state = apply(state, Transition.RESOLVE)
    transaction = Transaction()
    repository.save(
        transaction,
        conversation,
        state,
        message_at=now,
        # Its last word is a handoff while this is the time of its last message.
        values={"answeredUpTo": answering, **({"handedOffAt": now} if hand_off_reason is not None else {})},
        condition=(
            "(attribute_not_exists(answeredUpTo) OR answeredUpTo < :answering) AND lastSpeaker <> :teammate"
            + (" AND messageCount = :wasMessageCount" if ends else "")
        ),
        condition_values={
            ":answering": answering,
            ":teammate": Speaker.TEAMMATE.value,
            **({":wasMessageCount": conversation.item["messageCount"]} if ends else {}),
        },
    )
    thread.add_agent_message(
        transaction, conversation, state, kind="ai", name=name, body=body, attachments=NO_ATTACHMENTS, now=now
    )
    if hand_off_reason is not None:
        line = f"{name} handed this conversation to the team: {hand_off_reason}."
        thread.add_system_line(transaction, conversation, line, now)
        thread.add_updated(transaction, conversation, state, now)
    elif ends:
        line = f"{name} resolved this conversation: the visitor said that all is well."
        thread.add_system_line(transaction, conversation, line, now)
        thread.add_updated(transaction, conversation, state, now)
    try:
        transaction.commit()
    except (StaleConversation, ConversationNotFound):
        return False
    return True
