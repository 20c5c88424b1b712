"""The job that gives a customer who signed in what they wrote before, as an anonymous visitor of the help site."""

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.storage.transactions import Transaction


class MergeJob(JobBody, tag_field="kind", tag="merge"):
    """An anonymous customer, the hash of their session, and the customer who takes both over."""

    organization: str
    anonymous_id: str
    session_hash: str
    customer_id: str


def put(transaction: Transaction, job: MergeJob) -> None:
    """Add the job to a transaction."""
    queued = Job(JobQueue.ERASE, job.to_body(), job.anonymous_id, ids.new("job"))
    transaction.put(job_item(job.organization, queued), new=True)
