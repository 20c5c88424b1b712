"""The agent's side of approvals: asking for one, reading the decision, and noting the call that follows.

All but the reading adds to a transaction of the agent's run, so that the run and its approvals never differ.
"""

from typing import NamedTuple

from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Identity
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import repository
from helpdesk.tools.approvals.errors import EXPIRES_AFTER_MS, MAX_WAITING, TooManyWaiting
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.approvals.risk import Risk
from helpdesk.tools.approvals.schemas import ApprovalStatus, CallOutcome


class Wanted(NamedTuple):
    """A call that needs an approval. `input` is the JSON text that is to be run, `identity` for whom."""

    tool: str
    title: str
    endpoint_id: str
    definition: str
    identity: Identity
    input: str
    risk: Risk
    reason: str | None
    run_message_id: str
    call_id: str


def asked_for(conversation: Conversation, wanted: Wanted) -> Approval:
    """Return a new approval, as of now."""
    now = clock.now_ms()
    return Approval(
        organization=conversation.organization,
        id=ids.new("apr"),
        conversation_id=conversation.id,
        customer_id=conversation.customer_id,
        resolutions=conversation.resolutions,
        requested_at=now,
        expires_at=now + EXPIRES_AFTER_MS,
        **wanted._asdict(),
    )


def add(transaction: Transaction, approval: Approval) -> None:
    """Ask for an approval. The write of its conversation in the same transaction counts it."""
    repository.put_new(transaction, approval)


def find(organization: str, approval_id: str) -> Approval | None:
    """Return an approval, or None if it was erased."""
    return repository.approvals.find(organization, approval_id)


def pending_in(organization: str, conversation_id: str) -> list[Approval]:
    """Return a conversation's approvals that wait. One query, and a call for each hundred of its approvals."""
    found = repository.approvals.by_ids(organization, ids=repository.ids_in(organization, conversation_id))
    return [each for each in found.values() if each.status is ApprovalStatus.PENDING]


def require_room(conversation: Conversation, calls: int) -> None:
    """Require that a number of calls more can wait in a conversation. Raises TooManyWaiting."""
    if conversation.waiting_approvals + calls > MAX_WAITING:
        raise TooManyWaiting


def begin(transaction: Transaction, organization: str, approval_id: str) -> None:
    """Note that the approved call is about to be made. The transaction raises ConditionFailed if it was noted."""
    repository.begin(transaction, organization, approval_id)


def end(
    transaction: Transaction, organization: str, approval_id: str, outcome: CallOutcome, result: str
) -> None:
    """Note the outcome of the call. The transaction raises ConditionFailed if that was noted before."""
    repository.end(transaction, organization, approval_id, outcome, result)
