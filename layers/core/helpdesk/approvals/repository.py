"""Items of approvals, and their names in their conversations.

Every change of an approval is one conditional write: a decision requires that it is pending and not yet due, a call
that it is approved and was not begun, and an outcome that the call runs.
"""

from collections.abc import Sequence

from helpdesk.approvals.errors import EXPIRES_AFTER_MS, ApprovalExpired, ApprovalNotFound, ApprovalSettled
from helpdesk.approvals.record import Approval
from helpdesk.approvals.schemas import ApprovalStatus, CallOutcome
from helpdesk.platform import clock, ids
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_PREFIX = "APPROVAL#"
_DECIDED = {ApprovalStatus.APPROVED, ApprovalStatus.DENIED}
_LATE_MS = HOUR_MS
"""How much later than due an approval can still be pending: the timers function runs every ten minutes."""


def find(organization: str, approval_id: str) -> Approval | None:
    """Return an approval, or None if there is none."""
    item = table.get(keys.Approval(organization, approval_id))
    return None if item is None else Approval.from_item(organization, item)


def find_many(organization: str, approval_ids: Sequence[str]) -> list[Approval]:
    """Return those of the approvals that exist, in their order. One call per hundred."""
    wanted = [keys.Approval(organization, each) for each in approval_ids]
    found = table.get_many(wanted) if wanted else {}
    return [Approval.from_item(organization, found[key]) for key in wanted if key in found]


def get(organization: str, approval_id: str) -> Approval:
    """Return an approval. Raises ApprovalNotFound."""
    found = find(organization, approval_id)
    if found is None:
        raise ApprovalNotFound
    return found


def newest(
    organization: str, status: ApprovalStatus | None, limit: int, before: str | None
) -> tuple[list[Approval], str | None]:
    """Return approvals older than the id `before`, newest first, and the id to continue from (None at the end).

    One query.
    """
    after = keys.Approval(organization, before).attributes() if before else None
    if status is None:
        partition = keys.Approval(organization, "-").pk
        page = table.query(partition, sk_prefix=_PREFIX, limit=limit, newest_first=True, after=after)
    else:
        listed = keys.approvals_with(organization, status.value)
        if after is not None:
            after = {**after, "GSI1PK": listed, "GSI1SK": before}
        page = table.query(listed, index="GSI1", limit=limit, newest_first=True, after=after)
    found = [Approval.from_item(organization, item) for item in page.items]
    return found, found[-1].id if found and page.after is not None else None


def pending(organization: str) -> list[Approval]:
    """Return all approvals that are pending at this moment: those of the last day. One query for each megabyte."""
    first = f"apr_{ids.ulid(clock.now_ms() - EXPIRES_AFTER_MS - _LATE_MS, 0)}"
    bounds = (keys.Approval(organization, first).sk, keys.Approval(organization, "~").sk)
    items: list[Item] = []
    after: Item | None = None
    while True:
        page = table.query(
            keys.Approval(organization, "-").pk, sk_between=bounds, after=after, consistent=True
        )
        items += page.items
        after = page.after
        if after is None:
            break
    found = (Approval.from_item(organization, item) for item in items)
    return [each for each in found if each.status is ApprovalStatus.PENDING]


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[tuple[str, str]], Item | None]:
    """Return a page of a shard's approvals that are due before an instant (ms), as organization and id.

    With it comes the key to continue from, None at the end.
    """
    page = table.query(
        shards.due_approvals(shard),
        index="GSI2",
        sk_between=("0", f"{before:013d}"),
        limit=limit,
        after=after,
    )
    return [(item["organization"], item["id"]) for item in page.items], page.after


def ids_in(organization: str, conversation_id: str) -> list[str]:
    """Return the ids of a conversation's approvals, oldest first. One query."""
    partition = keys.Conversation(organization, conversation_id).pk
    return [item["id"] for item in table.query_all(partition, sk_prefix=_PREFIX)]


def put_new(transaction: Transaction, approval: Approval) -> None:
    """Add an approval, and its name in its conversation."""
    transaction.put(approval.to_item(), new=True)
    name = keys.ConversationApproval(approval.organization, approval.conversation_id, approval.id)
    transaction.put({**name.attributes(), "id": approval.id}, new=True)


def require_pending(approval: Approval) -> None:
    """Raise ApprovalSettled or ApprovalExpired unless an approval can be decided."""
    if approval.status is not ApprovalStatus.PENDING or approval.expires_at <= clock.now_ms():
        raise ApprovalSettled if approval.status in _DECIDED else ApprovalExpired


def decide(
    transaction: Transaction, seen: Approval, status: ApprovalStatus, by_name: str, note: str | None
) -> None:
    """Approve or deny. The transaction raises ApprovalSettled, ApprovalExpired or ApprovalNotFound."""
    transaction.update(
        keys.Approval(seen.organization, seen.id),
        "SET #status = :status, GSI1PK = :list, decidedAt = :now, decidedByName = :by, decidedBy = :byId, note = :note "
        "REMOVE GSI2PK, GSI2SK",
        condition="#status = :pending AND dueAt > :now",
        names={"#status": "status"},
        values={
            ":status": status.value,
            ":list": keys.approvals_with(seen.organization, status.value),
            ":now": clock.now_ms(),
            ":by": by_name,
            ":byId": by_names.id_of(by_name),
            ":note": note,
            ":pending": ApprovalStatus.PENDING.value,
        },
        on_failure=not_pending,
    )


def expire(transaction: Transaction, seen: Approval) -> None:
    """Let it expire from the state that was read: pending, or approved and not begun.

    The transaction raises ApprovalSettled, ApprovalExpired or ApprovalNotFound if it is in another one.
    """
    transaction.update(
        keys.Approval(seen.organization, seen.id),
        "SET #status = :status, GSI1PK = :list, decidedAt = :now REMOVE GSI2PK, GSI2SK",
        condition="#status = :was AND outcome = :none",
        names={"#status": "status"},
        values={
            ":status": ApprovalStatus.EXPIRED.value,
            ":list": keys.approvals_with(seen.organization, ApprovalStatus.EXPIRED.value),
            ":now": clock.now_ms(),
            ":was": seen.status.value,
            ":none": None,
        },
        on_failure=not_pending,
    )


def begin(transaction: Transaction, organization: str, approval_id: str) -> None:
    """Note that its call is about to be made. The transaction raises ConditionFailed if that was noted before."""
    transaction.update(
        keys.Approval(organization, approval_id),
        "SET outcome = :running",
        condition="#status = :approved AND outcome = :none",
        names={"#status": "status"},
        values={
            ":running": CallOutcome.RUNNING.value,
            ":approved": ApprovalStatus.APPROVED.value,
            ":none": None,
        },
        on_failure=ConditionFailed,
    )


def end(
    transaction: Transaction, organization: str, approval_id: str, outcome: CallOutcome, result: str
) -> None:
    """Note the outcome of its call. The transaction raises ConditionFailed if that was noted before."""
    transaction.update(
        keys.Approval(organization, approval_id),
        "SET outcome = :outcome, #result = :result",
        condition="outcome = :running",
        names={"#result": "result"},
        values={":outcome": outcome.value, ":result": result, ":running": CallOutcome.RUNNING.value},
        on_failure=ConditionFailed,
    )


def delete(transaction: Transaction, organization: str, conversation_id: str, approval_id: str) -> None:
    """Add the removal of an approval and of its name in its conversation to a transaction."""
    transaction.delete(keys.Approval(organization, approval_id))
    transaction.delete(
        keys.ConversationApproval(organization, conversation_id, approval_id),
        condition="attribute_exists(PK)",
        on_failure=ConditionFailed,
    )


def not_pending(found: Item | None) -> Exception:
    """Return why an approval cannot be decided."""
    if found is None:
        return ApprovalNotFound()
    return (
        ApprovalSettled() if found["status"] in _DECIDED else ApprovalExpired()
    )  # or it is pending, and due
