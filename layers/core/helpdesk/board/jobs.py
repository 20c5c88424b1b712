"""The job that deletes the votes and comments of a deleted post."""

from typing import Any

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.storage.transactions import Transaction

POST = "post"
"""The kind of the job in the erase queue."""


def put(transaction: Transaction, organization: str, post_id: str) -> None:
    """Add the job to a transaction."""
    body: dict[str, Any] = {"kind": POST, "organization": organization, "postId": post_id}
    transaction.put(job_item(organization, Job(JobQueue.ERASE, post_id, ids.new("job"), body)), new=True)
