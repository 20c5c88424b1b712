"""The job that requests an invitation's mail.

It holds neither the token nor the address, so reading the outbox or the queue gives no access.
"""

from typing import Any

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class InviteMail(Record):
    """One mail of one invitation. `id` sorts by request time; `base_url` is the address that its link points to."""

    organization: str
    invite_id: str
    id: str
    base_url: str

    def to_item(self) -> Item:
        """Return the outbox item that requests the mail."""
        body = {
            "organization": self.organization,
            "inviteId": self.invite_id,
            "mailId": self.id,
            "baseUrl": self.base_url,
        }
        return job_item(self.organization, Job(JobQueue.MAIL, self.invite_id, self.id, body))

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> "InviteMail":
        """Read a job's body."""
        return cls(body["organization"], body["inviteId"], body["mailId"], body["baseUrl"])
