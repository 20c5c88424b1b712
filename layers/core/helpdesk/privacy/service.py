"""Asking for a customer's erasure, and reading its receipt (beyond the specification; docs/decisions/0062).

The request marks the customer, removes their session and leaves a job behind, in one transaction: from then on nobody
finds the customer, and whoever writes in the session is another one. The rest is the eraser's (`erasing`).
"""

from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.platform import ids
from helpdesk.privacy import repository
from helpdesk.privacy.repository import BeingErased
from helpdesk.privacy.schemas import ErasureCounts, Receipt, ReceiptAnswer
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

CUSTOMER, RETENTION = "customer", "retention"
"""The kinds of work in the erase queue."""


def erase(caller: Caller, customer_id: str) -> ReceiptAnswer:
    """Have a customer erased with all that is kept of them; while that runs, answer its receipt again.

    Raises CustomerNotFound, also for one who was erased.
    """
    return ReceiptAnswer(receipt=requested(caller.organization, customer_id, actor=caller.actor))


def requested(organization: str, customer_id: str, *, actor: str) -> Receipt:
    """Have a customer erased at somebody's wish. Raises CustomerNotFound."""
    seen = repository.customer(organization, customer_id)
    if seen is None:
        raise CustomerNotFound
    if BEING_ERASED in seen:
        return receipt(repository.get(organization, seen[BEING_ERASED]))
    erasure_id = ids.new("ers")
    session_hash = seen.get("sessionHash") or _session_of(organization, customer_id)
    transaction = Transaction()
    repository.mark_customer(transaction, organization, seen, erasure_id)
    if session_hash is not None:
        repository.end_session(transaction, organization, customer_id, session_hash)
    repository.put(
        transaction, organization, erasure_id, {"customerId": customer_id, "sessionHash": session_hash}
    )
    transaction.put(work_item(organization, CUSTOMER, erasure_id, customer_id), new=True)
    transaction.put(
        logs.entry(
            organization,
            LogKind.CUSTOMER_ERASED,
            actor=actor,
            summary="The erasure of a customer was requested.",
            customerId=customer_id,
            erasureId=erasure_id,
            step="requested",
        )
    )
    try:
        transaction.commit()
    except BeingErased as met:
        erasure_id = met.erasure_id
    return receipt(repository.get(organization, erasure_id))


def get(organization: str, erasure_id: str) -> ReceiptAnswer:
    """Return an erasure's receipt. Raises ErasureNotFound."""
    return ReceiptAnswer(receipt=receipt(repository.get(organization, erasure_id)))


def work_item(organization: str, kind: str, erasure_id: str, group: str) -> Item:
    """Return the outbox item that has the eraser begin, or go on."""
    body: dict[str, Any] = {"kind": kind, "organization": organization, "erasureId": erasure_id}
    return job_item(organization, Job(JobQueue.ERASE, group, ids.new("job"), body))


def receipt(item: Item) -> Receipt:
    """Return an erasure's receipt."""
    finished = item["finishedAt"] is not None
    return Receipt(
        id=item["id"],
        customer_id=item["customerId"],
        requested_at=item["requestedAt"],
        finished_at=item["finishedAt"],
        counts=ErasureCounts(**item["counts"]) if finished else None,
    )


def _session_of(organization: str, customer_id: str) -> str | None:
    """Return a customer's session where their own item does not tell: their conversations do."""
    for item in repository.indexed_conversations(organization, customer_id):
        if item.get("sessionHash"):
            return str(item["sessionHash"])
    return None
