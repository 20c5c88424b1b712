"""Resolving conversations that the agent has finished and the visitor left alone."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from helpdesk.conversations import repository, thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Handler, Speaker, Status, Transition, apply
from helpdesk.platform import clock
from helpdesk.storage.transactions import Conflict, Transaction

_THREADS = 8


def quiet_page(organization: str, behind: str, before: int, limit: int) -> list[Conversation]:
    """Return open conversations, quiet since before an instant (ms), behind a place in their list."""
    return repository.quiet_page(organization, behind, before, limit)


def place_of(conversation: Conversation) -> str:
    """Return where in the list of open conversations one stands."""
    return str(conversation.item["GSI1SK"])


def is_finished(conversation: Conversation) -> bool:
    """Tell whether the last word is an answer of the agent, who still holds the conversation.

    A handoff is no answer, also where the team gave the conversation back without a word; and one that the team has
    snoozed is to come back to it.
    """
    state = conversation.state
    return (
        state.status is Status.OPEN
        and state.handled_by is Handler.AGENT
        and state.last_speaker is Speaker.AGENT
        and not conversation.archived
        and conversation.item["snoozedUntil"] is None
        and conversation.item.get("handedOffAt") != conversation.item["lastMessageAt"]
    )


def resolve(finished: Sequence[Conversation], agent_name: str, quiet_hours: int) -> int:
    """Resolve finished conversations by the same move as the team's, each by itself; return how many were.

    Sends conversation.updated for each. One in which someone has written or moved since it was read is left alone.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        return sum(pool.map(lambda each: _resolve(each, agent_name, quiet_hours), finished))


def _resolve(conversation: Conversation, agent_name: str, quiet_hours: int) -> bool:
    now = clock.now_ms()
    state = apply(conversation.state, Transition.RESOLVE)
    transaction = Transaction()
    repository.save(
        transaction,
        conversation,
        state,
        condition="lastMessageAt = :wasLastMessageAt AND messageCount = :wasMessageCount",
        condition_values={
            ":wasLastMessageAt": conversation.item["lastMessageAt"],
            ":wasMessageCount": conversation.item["messageCount"],
        },
    )
    line = f"{agent_name} resolved this conversation: nobody has written for {quiet_hours} hours since its answer."
    thread.add_system_line(transaction, conversation, line, now)
    thread.add_updated(transaction, conversation, state, now)
    try:
        transaction.commit()
    except (StaleConversation, ConversationNotFound, Conflict):
        return False
    return True
