"""The life of an approval: asked for, decided or expired, then the call that follows, and its erasure.

Every change of an approval is one conditional write: a decision requires that it is pending and not yet due, a call
that it is approved and was not begun, and an outcome that the call runs. The changes are added to transactions of the
agent's run or of the conversation, so that they never differ from its approvals.
"""

from copy import replace
from typing import NamedTuple

from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Identity
from helpdesk.platform import clock, ids
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.changes import above
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals.errors import (
    EXPIRES_AFTER_MS,
    MAX_WAITING,
    ApprovalExpired,
    ApprovalNotFound,
    ApprovalSettled,
    TooManyWaiting,
)
from helpdesk.tools.approvals.record import Approval, ConversationApproval, approvals, approvals_in
from helpdesk.tools.approvals.schemas import ApprovalStatus, CallOutcome
from helpdesk.tools.record import Risk

_DECIDED = {ApprovalStatus.APPROVED, ApprovalStatus.DENIED}
_LATE_MS = HOUR_MS
"""How much later than due an approval can still be pending: the timers function runs every ten minutes."""


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


def require_room(conversation: Conversation, calls: int) -> None:
    """Require that a number of calls more can wait in a conversation. Raises TooManyWaiting."""
    if conversation.waiting_approvals + calls > MAX_WAITING:
        raise TooManyWaiting


def add(transaction: Transaction, approval: Approval) -> None:
    """Ask for an approval. The write of its conversation in the same transaction counts it."""
    transaction.put(approval, new=True)
    name = ConversationApproval(
        organization=approval.organization, conversation_id=approval.conversation_id, id=approval.id
    )
    transaction.put(name, new=True)


def newest(
    organization: str, status: ApprovalStatus | None, limit: int, before: str | None
) -> tuple[list[Approval], str | None]:
    """Return approvals older than the id `before`, newest first, and the id to continue from (None at the end).

    One query.
    """
    if status is None:
        return approvals.newest(organization, limit=limit, before=before)
    return approvals.newest(organization, status, index="GSI1", limit=limit, before=before)


def pending(organization: str) -> list[Approval]:
    """Return all approvals that are pending at this moment: those of the last day. One query for each megabyte."""
    first = f"apr_{ids.ulid(clock.now_ms() - EXPIRES_AFTER_MS - _LATE_MS, 0)}"
    bounds = (Approval.key_for(organization, first).sk, Approval.key_for(organization, "~").sk)
    items: list[Item] = []
    after: Item | None = None
    while True:
        page = table.query(
            Approval.partition_for(organization), sk_between=bounds, after=after, consistent=True
        )
        items += page.items
        after = page.after
        if after is None:
            break
    found = map(Approval.from_item, items)
    return [each for each in found if each.status is ApprovalStatus.PENDING]


def pending_in(organization: str, conversation_id: str) -> list[Approval]:
    """Return a conversation's approvals that wait. One query, and a call for each hundred of its approvals."""
    found = approvals.by_ids(organization, ids=ids_in(organization, conversation_id))
    return [each for each in found.values() if each.status is ApprovalStatus.PENDING]


def ids_in(organization: str, conversation_id: str) -> list[str]:
    """Return the IDs of a conversation's approvals, oldest first. One query."""
    return [name.id for name in approvals_in.all(organization, conversation_id)]


def of_conversation(organization: str, conversation_id: str) -> list[Approval]:
    """Return a conversation's approvals, oldest first. One query, and a read for each."""
    found = [approvals.find(organization, each) for each in ids_in(organization, conversation_id)]
    return [each for each in found if each is not None]


def require_pending(approval: Approval) -> None:
    """Raise ApprovalSettled or ApprovalExpired unless an approval can be decided."""
    if approval.status is not ApprovalStatus.PENDING or approval.expires_at <= clock.now_ms():
        raise ApprovalSettled if approval.status in _DECIDED else ApprovalExpired


def decide(
    transaction: Transaction, seen: Approval, status: ApprovalStatus, actor: ActorName, note: str | None
) -> None:
    """Approve or deny. The transaction raises ApprovalSettled, ApprovalExpired or ApprovalNotFound."""
    now = clock.now_ms()
    decided = replace(seen, status=status, decided_at=now, decided_by_name=actor, note=note)
    require = {"status": ApprovalStatus.PENDING, "expires_at": above(now)}
    transaction.save(seen, decided, require=require, on_failure=not_pending)


def expire(transaction: Transaction, seen: Approval) -> None:
    """Let it expire from the state that was read: pending, or approved and not begun.

    The transaction raises ApprovalSettled, ApprovalExpired or ApprovalNotFound if it is in another one.
    """
    expired = replace(seen, status=ApprovalStatus.EXPIRED, decided_at=clock.now_ms())
    require = {"status": seen.status, "outcome": None}
    transaction.save(seen, expired, require=require, on_failure=not_pending)


def begin(transaction: Transaction, organization: str, approval_id: str) -> None:
    """Note that its call is about to be made. The transaction raises ConditionFailed if that was noted before."""
    transaction.change(
        Approval.key_for(organization, approval_id),
        set={"outcome": CallOutcome.RUNNING},
        require={"status": ApprovalStatus.APPROVED, "outcome": None},
        on_failure=ConditionFailed,
    )


def end(
    transaction: Transaction, organization: str, approval_id: str, outcome: CallOutcome, result: str
) -> None:
    """Note the outcome of its call. The transaction raises ConditionFailed if that was noted before."""
    transaction.change(
        Approval.key_for(organization, approval_id),
        set={"outcome": outcome, "result": result},
        require={"outcome": CallOutcome.RUNNING},
        on_failure=ConditionFailed,
    )


def delete(transaction: Transaction, organization: str, conversation_id: str, approval_id: str) -> None:
    """Add the removal of an approval and of its name in its conversation to a transaction."""
    transaction.delete(Approval.key_for(organization, approval_id))
    name = ConversationApproval.key_for(organization, conversation_id, approval_id)
    transaction.delete(name, require={}, on_failure=ConditionFailed)


def not_pending(found: Item | None) -> Exception:
    """Return why an approval cannot be decided."""
    if found is None:
        return ApprovalNotFound()
    # Else it is expired, or pending and due.
    return ApprovalSettled() if Approval.from_item(found).status in _DECIDED else ApprovalExpired()
