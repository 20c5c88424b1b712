"""The job that lets the agent go on after a decision.

The agent's worker does it. A message group of its queue is a conversation, so no two workers go on at once.
"""

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import watches
from helpdesk.tools.approvals.record import Approval


class ResumeJob(JobBody, tag_field="kind", tag="resume"):
    """A run to continue, by the visitor's message that it is for.

    With `gives_up` the conversation goes to the team without another step, because the steps have failed repeatedly.
    """

    organization: str
    conversation_id: str
    message_id: str
    gives_up: bool = False


def put_resume(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Let the agent's worker continue a run, and watch the run."""
    put_resume_job(transaction, organization, conversation_id, message_id)
    watches.put(transaction, organization, conversation_id, message_id)


def put_resume_job(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    message_id: str,
    *,
    gives_up: bool = False,
) -> None:
    """Let the agent's worker continue a run that is watched already, or with `gives_up` end it."""
    body = ResumeJob(organization, conversation_id, message_id, gives_up).to_body()
    job = Job(JobQueue.AGENT, body, conversation_id, ids.new("job"))
    transaction.put(job_item(organization, job), new=True)


def put_resume_of(transaction: Transaction, approval: Approval) -> None:
    """Let the agent's worker continue the run that asked for an approval."""
    put_resume(transaction, approval.organization, approval.conversation_id, approval.run_message_id)
