"""The job that asks an accepted suggestion's questions of the index.

The job that reads a conversation is in `conversations.jobs`: it is added where a conversation is written.
"""

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.storage.transactions import Transaction


class AskJob(JobBody, tag_field="kind", tag="ask"):
    """An accepted suggestion whose questions are to be asked of the index."""

    organization: str
    suggestion_id: str


def put_asking(transaction: Transaction, organization: str, suggestion_id: str) -> None:
    """Add the job to a transaction. It waits for nobody but its own suggestion."""
    body = AskJob(organization, suggestion_id).to_body()
    job = Job(JobQueue.SUGGESTION, body, suggestion_id)
    transaction.put(job_item(organization, job), new=True)
