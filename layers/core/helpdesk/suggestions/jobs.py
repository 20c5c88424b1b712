"""The job that asks an accepted suggestion's questions of the index.

The job that reads a conversation is in `conversations.jobs`: it is added where a conversation is written.
"""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.platform.record import Record
from helpdesk.storage.transactions import Transaction

ASK = "ask"
"""The kind of the suggestion queue's messages that ask the questions of an accepted suggestion."""


class AskJob(Record):
    """An accepted suggestion whose questions are to be asked of the index."""

    organization: str
    suggestion_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["suggestionId"])


def put_asking(transaction: Transaction, organization: str, suggestion_id: str) -> None:
    """Add the job to a transaction. It waits for nobody but its own suggestion."""
    body = {"kind": ASK, "organization": organization, "suggestionId": suggestion_id}
    job = Job(JobQueue.SUGGESTION, suggestion_id, ids.new("job"), body)
    transaction.put(job_item(organization, job), new=True)
