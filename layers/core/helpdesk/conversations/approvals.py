"""What a conversation knows of the approvals that wait in it: how many there are.

The approvals package decides them. A conversation that is resolved ends them, by a job of the timer queue.
"""

from copy import replace
from typing import Any

from helpdesk.conversations.change import NOT_WAITING, as_read
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Status
from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.storage.changes import below
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
    transaction.require(conversation.key, as_read(conversation), on_failure=StaleConversation)


def settle(transaction: Transaction, seen: Conversation) -> None:
    """Count one approval less in an open conversation that is not archived.

    The transaction raises StaleConversation if it has changed since, ConversationNotFound if it is being erased.
    """
    _count_less(transaction, seen, _as_often_resolved(seen))


def expire(transaction: Transaction, seen: Conversation) -> None:
    """Count one approval less, whatever state the conversation is in. The transaction raises as with `settle`."""
    _count_less(transaction, seen, {})


def require_unresolved(transaction: Transaction, seen: Conversation) -> None:
    """Require that a conversation is open, is not archived, and was not resolved since it was read.

    The transaction raises as with `settle`.
    """
    require = {"status": Status.OPEN, "archived_at": None, **_as_often_resolved(seen)}
    transaction.require(seen.key, require, on_failure=StaleConversation)


def _as_often_resolved(seen: Conversation) -> dict[str, Any]:
    return {"resolutions": seen.resolutions or below(1)}


def _count_less(transaction: Transaction, seen: Conversation, require: dict[str, Any]) -> None:
    """Count one approval less. After the last one, nothing but the visitor may keep it in the list of what waits.

    The list is right only if nothing that decides it has changed since the conversation was read.
    """
    left = seen.waiting_approvals - 1
    now = replace(seen, waiting_approvals=left, approvals_since=seen.approvals_since if left > 0 else None)
    as_seen = {
        "waiting_approvals": seen.waiting_approvals,
        "last_speaker": seen.last_speaker,
        "approvals_since": seen.approvals_since,
        "unanswered_since": seen.unanswered_since,
    }
    transaction.change(
        seen.key,
        set={
            "GSI1PK": Conversation.partition_for(now.organization, now.inbox_list, index="GSI1"),
            "approvals_since": now.approvals_since,
            **(now.index_entry("GSI4") or NOT_WAITING),
        },
        add={"waiting_approvals": -1},
        require={**as_read(seen), **as_seen, **require},
        on_failure=StaleConversation,
    )
