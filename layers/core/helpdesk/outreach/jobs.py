"""The job that requests the mail of a message of the team. It holds ids only."""

from typing import Any

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item

MESSAGE_MAIL = "message"
"""The kind of this job among the others of its queue."""


class MessageMail(Record):
    """The mail of one message to one customer. Mails to one customer keep their order."""

    organization: str
    customer_id: str
    conversation_id: str
    message_id: str

    def to_item(self) -> Item:
        """Return the outbox item that asks for the mail."""
        body = {
            "kind": MESSAGE_MAIL,
            "organization": self.organization,
            "customerId": self.customer_id,
            "conversationId": self.conversation_id,
            "messageId": self.message_id,
        }
        return job_item(self.organization, Job(JobQueue.OUTREACH, self.customer_id, self.message_id, body))

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> "MessageMail":
        """Read a job's body."""
        return cls(body["organization"], body["customerId"], body["conversationId"], body["messageId"])
