"""The job that mails a code to a support address. It holds neither the code nor the address."""

from typing import Any

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item

SUPPORT_EMAIL_MAIL = "support_email"
"""The kind of a job for a support address."""


class SupportEmailMail(Record):
    """One mail with a code, to the address that is pending under this mail's id."""

    organization: str
    id: str

    def to_item(self) -> Item:
        """Return the outbox item that requests the mail."""
        body = {"kind": SUPPORT_EMAIL_MAIL, "organization": self.organization, "mailId": self.id}
        return job_item(self.organization, Job(JobQueue.MAIL, self.organization, self.id, body))

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> "SupportEmailMail":
        """Read a job's body."""
        return cls(body["organization"], body["mailId"])
