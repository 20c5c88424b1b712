"""The job that lets the agent go on after a decision.

The agent's worker does it. A message group of its queue is a conversation, so no two workers go on at once.
"""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.platform.record import Record
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import watches
from helpdesk.tools.approvals.record import Approval

RESUME = "resume"
"""The kind of the agent queue's messages that continue a run."""


class ResumeJob(Record):
    """A run to continue, by the visitor's message that it is for.

    With `gives_up` the conversation goes to the team without another step, because the steps have failed repeatedly.
    """

    organization: str
    conversation_id: str
    message_id: str
    gives_up: bool = False

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        gives_up = body.get("givesUp", False) is True
        return cls(body["organization"], body["conversationId"], body["messageId"], gives_up)


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
    body = {
        "kind": RESUME,
        "organization": organization,
        "conversationId": conversation_id,
        "messageId": message_id,
        **({"givesUp": True} if gives_up else {}),
    }
    job = Job(JobQueue.AGENT, conversation_id, ids.new("job"), body)
    transaction.put(job_item(organization, job), new=True)


def put_resume_of(transaction: Transaction, approval: Approval) -> None:
    """Let the agent's worker continue the run that asked for an approval."""
    put_resume(transaction, approval.organization, approval.conversation_id, approval.run_message_id)
