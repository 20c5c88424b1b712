"""What a conversation knows of the approvals that wait in it: how many there are.

The approvals package decides them. A conversation that is resolved ends them, by a job of the timer queue.
"""

from helpdesk.conversations import list_repository
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Status
from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.storage import keys
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


class EndApprovalsJob(JobBody, tag_field="kind", tag="end_approvals"):
    """A resolved conversation whose approvals are to expire."""

    organization: str
    conversation_id: str


def end_job(organization: str, conversation_id: str) -> Job:
    """Return the job that lets a conversation's approvals expire."""
    return Job(JobQueue.TIMER, EndApprovalsJob(organization, conversation_id).to_body())


def require_state(transaction: Transaction, conversation: Conversation) -> None:
    """Require that status, handler and archive are as they were read, for an event that carries them.

    The transaction raises StaleConversation or ConversationNotFound.
    """
    transaction.require(
        keys.Conversation(conversation.organization, conversation.id),
        "#status = :status AND handledBy = :handler AND archivedAt = :archived",
        names={"#status": "status"},
        values={
            ":status": conversation.state.status.value,
            ":handler": conversation.state.handled_by.value,
            ":archived": conversation.archived_at,
        },
        on_failure=StaleConversation,
    )


def settle(transaction: Transaction, seen: Conversation, *, resolutions: int) -> None:
    """Count one approval less, if the conversation is open, is not archived and was not resolved meanwhile.

    `resolutions` is how often it had been resolved when the approval was asked for. Otherwise, and if the conversation
    has changed since it was read, the transaction raises StaleConversation or ConversationNotFound.
    """
    _count_less(transaction, seen, *_unresolved(resolutions))


def require_unresolved(
    transaction: Transaction, organization: str, conversation_id: str, *, resolutions: int
) -> None:
    """Require what `settle` does, for a call that is about to be made. The transaction raises as there."""
    condition, values = _unresolved(resolutions)
    transaction.require(
        keys.Conversation(organization, conversation_id),
        condition,
        names={"#status": "status"},
        values=values,
        on_failure=StaleConversation,
    )


def _unresolved(resolutions: int) -> tuple[str, Item]:
    """Return the condition that a conversation is open, not archived, and resolved no more often than it was."""
    never = "attribute_not_exists(resolutions) OR " if resolutions == 0 else ""
    return (
        f"#status = :open AND archivedAt = :never AND ({never}resolutions = :resolutions)",
        {":open": Status.OPEN.value, ":never": None, ":resolutions": resolutions},
    )


def expire(transaction: Transaction, seen: Conversation) -> None:
    """Count one approval less, whatever state the conversation is in.

    The transaction raises StaleConversation if it has changed since, ConversationNotFound if it is being erased.
    """
    _count_less(transaction, seen, "attribute_exists(PK)", {})


def _count_less(transaction: Transaction, seen: Conversation, condition: str, values: Item) -> None:
    """Count one approval less. After the last one, nothing but the visitor may keep it in the list of what waits."""
    left = seen.waiting_approvals - 1
    which = list_repository.inbox_list(seen.state, archived=seen.archived, approvals=left > 0)
    transaction.update(
        keys.Conversation(seen.organization, seen.id),
        "SET GSI1PK = :list ADD waitingApprovals :less",
        condition=f"{condition} AND waitingApprovals = :seen AND #status = :status AND handledBy = :handler "
        "AND lastSpeaker = :speaker AND archivedAt = :archived",
        names={"#status": "status"},
        values={
            ":list": keys.inbox(seen.organization, which.value),
            ":less": -1,
            ":seen": seen.waiting_approvals,
            ":status": seen.state.status.value,
            ":handler": seen.state.handled_by.value,
            ":speaker": seen.state.last_speaker.value,
            ":archived": seen.archived_at,
            **values,
        },
        on_failure=StaleConversation,
    )
