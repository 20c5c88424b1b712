"""Requests a customer's erasure and returns its receipt (extends the specification; docs/decisions/0062).

One transaction marks the customer, removes their session and creates a job. From then on nobody finds the customer, and
the next message in the session creates another one. The eraser function does the rest (`erasing`).
"""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations import erasure as conversations
from helpdesk.conversations.messages import visitors
from helpdesk.customers import erasure as customer_erasure
from helpdesk.customers.erasure import BeingErased, customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item
from helpdesk.platform import clock, ids
from helpdesk.privacy import repository
from helpdesk.privacy.record import Erasure
from helpdesk.privacy.schemas import Receipt, ReceiptAnswer
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class ErasureJob(JobBody, tag_field="kind", tag="customer"):
    """The erasure of a customer, to begin or to continue."""

    organization: str
    erasure_id: str


class RetentionJob(ErasureJob, tag_field="kind", tag="retention"):
    """The erasure of what is past an organization's retention time."""


def erase(caller: Caller, customer_id: str) -> ReceiptAnswer:
    """Request the erasure of a customer and all their data. While it runs, a repeat returns the same receipt.

    Raises CustomerNotFound, also after the erasure.
    """
    return ReceiptAnswer(receipt=requested(caller.organization, customer_id, actor=caller.actor))


def requested(organization: str, customer_id: str, *, actor: str) -> Receipt:
    """Request a customer's erasure; `actor` is for the log. Raises CustomerNotFound."""
    seen = customers.find(organization, customer_id)
    if seen is None:
        raise CustomerNotFound
    if seen.erasing is not None:
        return receipt(repository.erasures.get(organization, seen.erasing))
    erasure_id = ids.new("ers")
    session_hash = seen.session_hash or conversations.session_of(organization, customer_id)
    transaction = Transaction()
    customer_erasure.mark(transaction, seen, erasure_id)
    if session_hash is not None:
        visitors.delete_session(transaction, organization, customer_id, session_hash)
    erasure = Erasure(
        organization=organization,
        id=erasure_id,
        customer_id=customer_id,
        requested_at=clock.now_ms(),
        session_hash=session_hash,
    )
    transaction.put(erasure, new=True, on_failure=ConditionFailed)
    transaction.put(job_item_of(ErasureJob(organization, erasure_id), customer_id), new=True)
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
    return receipt(repository.erasures.get(organization, erasure_id))


def get(organization: str, erasure_id: str) -> ReceiptAnswer:
    """Return an erasure's receipt. Raises ErasureNotFound."""
    return ReceiptAnswer(receipt=receipt(repository.erasures.get(organization, erasure_id)))


def job_item_of(job: ErasureJob, group: str) -> QueuedJob:
    """Return the outbox item of a job that starts or continues an erasure."""
    return job_item(job.organization, Job(JobQueue.ERASE, job.to_body(), group))


def receipt(erasure: Erasure) -> Receipt:
    """Return an erasure's receipt."""
    return Receipt.from_record(erasure, counts=None if erasure.finished_at is None else erasure.counts)
