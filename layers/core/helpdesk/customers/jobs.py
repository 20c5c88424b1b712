"""The job that gives a customer who signed in what they wrote before, as an anonymous visitor of the help site."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.platform.record import Record
from helpdesk.storage.transactions import Transaction

MERGE = "merge"
"""The kind of the job in the erase queue."""


class MergeJob(Record):
    """An anonymous customer, the hash of their session, and the customer who takes both over."""

    organization: str
    anonymous_id: str
    session_hash: str
    customer_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Read the job's message."""
        return cls(body["organization"], body["anonymousId"], body["sessionHash"], body["customerId"])


def put(transaction: Transaction, job: MergeJob) -> None:
    """Add the job to a transaction."""
    body = {
        "kind": MERGE,
        "organization": job.organization,
        "anonymousId": job.anonymous_id,
        "sessionHash": job.session_hash,
        "customerId": job.customer_id,
    }
    queued = Job(JobQueue.ERASE, job.anonymous_id, ids.new("job"), body)
    transaction.put(job_item(job.organization, queued), new=True)
