"""Expiry of approvals: after 24 hours, with the end of their conversation, and with the removal of their tool.

Each expires by one conditional write, so any number of causes expires it once. The thread says why, and the agent goes
on with that as the result of the call.
"""

from collections.abc import Iterable
from enum import StrEnum

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations import approvals as conversation_approvals
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_MS, MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import jobs, lifecycle
from helpdesk.tools.approvals.errors import (
    EXPIRES_AFTER_MS,
    ApprovalExpired,
    ApprovalNotFound,
    ApprovalSettled,
)
from helpdesk.tools.approvals.record import Approval, approvals
from helpdesk.tools.approvals.schemas import ApprovalStatus

_PAGE = 100


class Cause(StrEnum):
    """Why an approval expires; the thread says it."""

    TIME = f"nobody decided within {EXPIRES_AFTER_MS // HOUR_MS} hours"
    CONVERSATION_ENDED = "the conversation was resolved"
    ENDPOINT_REMOVED = "its tool endpoint was removed"
    DEFINITION_CHANGED = "the tool has changed since, or is switched off"
    IDENTITY_CHANGED = "the customer's identity has changed since the agent asked for it"
    AGENT_FAILED = "the agent failed repeatedly"


def expire(approval: Approval, cause: Cause) -> bool:
    """Let an approval expire from the state that was read; return False if it is in another one by now.

    Nothing happens if its conversation is gone: an erasure removes both.
    """
    organization = approval.organization

    def write(transaction: Transaction, conversation: Conversation) -> None:
        lifecycle.expire(transaction, approval)
        if approval.status is ApprovalStatus.PENDING:
            conversation_approvals.expire(transaction, conversation)
            jobs.put_resume_of(transaction, approval)
        # Else the agent is about to make the call, and goes on itself.
        line = f"The call of {approval.title} ({approval.tool}) was not made: {cause}."
        thread.add_system_line(transaction, conversation, line, clock.now_ms(), alone=True)
        entry = log_entry(
            organization, approval.conversation_id, approval.tool, cause, approvalId=approval.id
        )
        transaction.put(entry, new=True)

    try:
        conversations.retry_on_conflict(organization, approval.conversation_id, write, also_archived=True)
    except (ApprovalSettled, ApprovalExpired, ApprovalNotFound, ConversationNotFound):
        return False
    return True


def log_entry(organization: str, conversation_id: str, tool: str, cause: Cause, **more: str) -> Item:
    """Return the log's entry of a call that was not made."""
    return logs.entry(
        organization,
        LogKind.TOOL_CALL_EXPIRED,
        actor=logs.SYSTEM,
        summary=f"A call of the tool {tool} expired: {cause}.",
        tool=tool,
        conversationId=conversation_id,
        **more,
    )


def expire_for_endpoint(organization: str, endpoint_id: str) -> int:
    """Let everything expire that waits for a tool of an endpoint; return how many that was."""
    return _expire_all(
        (each for each in lifecycle.pending(organization) if each.endpoint_id == endpoint_id),
        Cause.ENDPOINT_REMOVED,
    )


def expire_for_conversation(organization: str, conversation_id: str) -> int:
    """Let everything expire that waits in a conversation, because it was resolved; return how many that was."""
    conversation = conversations.find(organization, conversation_id)
    if conversation is None:
        return 0
    found = lifecycle.pending_in(organization, conversation_id)
    # One of a later opening of the conversation stays.
    return _expire_all(
        (each for each in found if each.resolutions < conversation.resolutions),
        Cause.CONVERSATION_ENDED,
    )


def expire_due(deadline: int) -> int:
    """Let approvals expire that nobody decided in time; return how many.

    Ends when there are no more, or at the instant `deadline` (ms): the next run continues with the earliest ones.
    """
    now = clock.now_ms()
    expired = 0

    def read(shard: int, after: Item | None) -> tuple[list[Approval], Item | None]:
        return approvals.due(shard, now, _PAGE, after, index="GSI2")

    for page in shards.pages(read, now // MINUTE_MS, deadline):
        expired += _expire_all(page, Cause.TIME)
    return expired


def _expire_all(found: Iterable[Approval], cause: Cause) -> int:
    return sum(expire(each, cause) for each in found)
