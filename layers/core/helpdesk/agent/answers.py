"""Writing the agent's answer, hand-off or last word into a conversation, at most once for each visitor's message."""

from collections.abc import Callable, Sequence
from copy import replace

from helpdesk.agent.converse import Usage
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import AnswerSource, Author, TokenCount
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Handler, Speaker, Status, Transition, apply
from helpdesk.files.service import NO_ATTACHMENTS
from helpdesk.platform import clock
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts.languages import Language

type Also = Callable[[Transaction, Conversation], None]
"""Adds to the transaction of a message, given the conversation as that transaction requires it."""


def write(
    conversation: Conversation,
    *,
    answering: str | None,
    name: str,
    body: str,
    hand_off_reason: str | None = None,
    resolves: bool = False,
    language: Language | None = None,
    sources: Sequence[AnswerSource] = (),
    usage: Usage | None = None,
    counted: int = 0,
    is_gap: bool = False,
    asks: int = 0,
    also: Also | None = None,
    resolutions: int | None = None,
) -> bool:
    """Write the agent's message that answers up to the visitor's message `answering`; None if it answers none.

    With a reason it also hands the conversation to the team; with `resolves` it resolves the conversation. `language`
    is noted as the one that the visitor writes, `sources` are kept for the team, and `usage` with the message. The
    conversation's hour gets `counted` tokens. With `is_gap` the question waits for a person's answer to learn from.
    Sends message.created, then conversation.updated if the conversation is handed over or resolved, or if the agent
    asks for approvals with it (`asks` is how many); both carry the state after the change (Specification: Events).
    `also` adds what is written together with the message. Returns False, with nothing written, if the conversation was
    resolved, archived, taken over, answered or erased since it was read, or was resolved more often than `resolutions`
    says. After any other change, such as a snooze, the message is written all the same: nobody else would answer the
    visitor. Raises StaleConversation if the message must be decided again, because it resolves the conversation and
    someone has written since; Conflict; and what `also` makes the transaction raise.
    """
    read = conversation

    def attempt() -> bool:
        nonlocal read
        if resolutions not in {None, read.resolutions}:
            return False
        transaction = _transaction(
            read,
            answering=answering,
            name=name,
            body=body,
            hand_off_reason=hand_off_reason,
            resolves=resolves,
            language=language,
            sources=sources,
            usage=usage,
            counted=counted,
            is_gap=is_gap,
            asks=asks,
        )
        if also is not None:
            also(transaction, read)
        try:
            transaction.commit()
        except ConversationNotFound:
            return False
        except StaleConversation as stale:
            read = stale.conversation
            if not _waits_for_the_agent(read, answering):
                return False
            if resolves and read.newest_message_id != conversation.newest_message_id:
                raise
            raise Stale from None
        return True

    return repeat_when_stale(attempt)


def is_the_agents(conversation: Conversation) -> bool:
    """Return whether the agent may write in a conversation: it is open, not archived, and the agent handles it."""
    state = conversation.state
    return state.status is Status.OPEN and state.handled_by is Handler.AGENT and not conversation.archived


def _waits_for_the_agent(conversation: Conversation, message_id: str | None) -> bool:
    """Return whether a visitor's message still waits for the agent's answer; without one, whether it may write."""
    if message_id is None or not is_the_agents(conversation):
        return is_the_agents(conversation)
    return (
        conversation.state.last_speaker is not Speaker.TEAMMATE and conversation.answered_up_to < message_id
    )


def _transaction(
    conversation: Conversation,
    *,
    answering: str | None,
    name: str,
    body: str,
    hand_off_reason: str | None,
    resolves: bool,
    language: Language | None,
    sources: Sequence[AnswerSource],
    usage: Usage | None,
    counted: int,
    is_gap: bool,
    asks: int,
) -> Transaction:
    """Return the write of the agent's message. It raises StaleConversation or ConversationNotFound."""
    message_id, now = thread.new_message_id(conversation), clock.now_ms()
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
        message_id=message_id,
        message_at=now,
        answered_up_to=answering,
        hand_off_reason=hand_off_reason,
        only_if_newest=resolves,
        language=language,
        gap=answering if is_gap else None,
        waiting_approvals=asks,
        tokens=counted,
    )
    thread.add_agent_message(
        transaction,
        conversation,
        state,
        message_id=message_id,
        author=Author("ai", name),
        body=body,
        attachments=NO_ATTACHMENTS,
        now=now,
        sources=sources,
        tokens=TokenCount(usage.input, usage.output) if usage else None,
    )
    if line is not None:
        thread.add_system_line(transaction, conversation, line, now)
    if line is not None or asks:
        thread.add_updated(transaction, conversation, state, now)
    return transaction
