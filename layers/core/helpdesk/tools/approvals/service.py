"""Approving and denying calls of tools (Specification: States and transitions, Tool call approvals).

A decision is one transaction: the approval, its line in the thread, its entry in the log, and the job with which the
agent goes on. It requires that the approval is pending and that its conversation is still the one in which the agent
asked. So of two who decide at once one succeeds, and a call is made once.
"""

from collections.abc import Mapping

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations import approvals as conversation_approvals
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.rendering import customer_summary
from helpdesk.conversations.state import Status
from helpdesk.customers import service as customers
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import jobs, lifecycle
from helpdesk.tools.approvals.errors import ApprovalExpired, ApprovalNotFound
from helpdesk.tools.approvals.record import Approval, approvals
from helpdesk.tools.approvals.schemas import (
    ApprovalAnswer,
    ApprovalDecision,
    ApprovalsAnswer,
    ApprovalShape,
    ApprovalsQuery,
    ApprovalStatus,
)

_KINDS = {
    ApprovalStatus.APPROVED: LogKind.TOOL_CALL_APPROVED,
    ApprovalStatus.DENIED: LogKind.TOOL_CALL_DENIED,
}


def approval_shape(approval: Approval, known: Mapping[str, Customer]) -> ApprovalShape:
    """Return an approval as the team reads it; `known` are the customers by id, without those that are gone."""
    return ApprovalShape.from_record(
        approval,
        input=approval.input_value,
        customer=customer_summary(approval.customer_id, known),
    )


def newest(caller: Caller, query: ApprovalsQuery) -> ApprovalsAnswer:
    """Return a page of approvals, newest first. Raises InvalidCursor."""
    name = f"approvals?{query.status}"
    place = position(caller, query, name)
    found, end = lifecycle.newest(caller.organization, query.status, query.limit, place)
    known = customers.by_ids(caller.organization, [each.customer_id for each in found]) if found else {}
    shapes = [approval_shape(each, known) for each in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], found[room - 1].id
    return ApprovalsAnswer(approvals=shapes, next_cursor=next_cursor(caller, end, name))


def get(organization: str, approval_id: str) -> ApprovalAnswer:
    """Return an approval. Raises ApprovalNotFound."""
    approval = approvals.get(organization, approval_id)
    known = customers.by_ids(organization, [approval.customer_id])
    return ApprovalAnswer(approval=approval_shape(approval, known))


def is_in(organization: str, approval_id: str, conversation_id: str) -> bool:
    """Return whether an approval is one of a conversation. One call."""
    try:
        return approvals.get(organization, approval_id).conversation_id == conversation_id
    except ApprovalNotFound:
        return False


def approve(caller: Caller, approval_id: str, decision: ApprovalDecision) -> ApprovalAnswer:
    """Let the agent make the call, once, with the input that is stored.

    Raises ApprovalNotFound, ApprovalSettled, ApprovalExpired, ConversationArchived.
    """
    return _decide(caller, approval_id, ApprovalStatus.APPROVED, decision)


def deny(caller: Caller, approval_id: str, decision: ApprovalDecision) -> ApprovalAnswer:
    """Refuse the call; the agent reads the note. Raises as `approve`."""
    return _decide(caller, approval_id, ApprovalStatus.DENIED, decision)


def _decide(
    caller: Caller, approval_id: str, status: ApprovalStatus, decision: ApprovalDecision
) -> ApprovalAnswer:
    organization, note = caller.organization, decision.note or None
    approval = approvals.get(organization, approval_id)
    lifecycle.require_pending(approval)

    def write(transaction: Transaction, conversation: Conversation) -> None:
        if conversation.state.status is Status.RESOLVED or conversation.resolutions != approval.resolutions:
            raise ApprovalExpired
        lifecycle.decide(transaction, approval, status, caller.actor, note)
        conversation_approvals.settle(transaction, conversation)
        line = _line(caller, approval, status, note)
        thread.add_system_line(transaction, conversation, line, clock.now_ms(), alone=True)
        entry = logs.entry(
            organization,
            _KINDS[status],
            actor=caller.actor,
            summary=f"A call of the tool {approval.tool} was {status.value}.",
            approvalId=approval.id,
            tool=approval.tool,
            conversationId=approval.conversation_id,
        )
        transaction.put(entry, new=True)
        jobs.put_resume_of(transaction, approval)

    try:
        conversations.retry_on_conflict(organization, approval.conversation_id, write)
    except ConversationNotFound:
        raise ApprovalNotFound from None  # it is being erased
    return get(organization, approval_id)


def _line(caller: Caller, approval: Approval, status: ApprovalStatus, note: str | None) -> str:
    said = f"{Actor(caller).name} {status.value} the call of {approval.title} ({approval.tool})"
    return f"{said}: {note}" if note else f"{said}."
