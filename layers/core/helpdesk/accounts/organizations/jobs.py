"""The job that mails a code to a support address. It holds neither the code nor the address."""

from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item
from helpdesk.platform.record import field


class SupportEmailMail(JobBody, tag_field="kind", tag="support_email"):
    """One mail with a code, to the address that is pending under this mail's id."""

    organization: str
    id: str = field(name="mailId")

    def to_item(self) -> QueuedJob:
        """Return the outbox item that requests the mail."""
        return job_item(self.organization, Job(JobQueue.MAIL, self.to_body(), deduplication=self.id))
