"""The job that requests an invitation's mail.

It holds neither the token nor the address, so reading the outbox or the queue gives no access.
"""

from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item
from helpdesk.platform.record import field


class InviteMail(JobBody):
    """One mail of one invitation. `id` sorts by request time; `base_url` is the address that its link points to."""

    organization: str
    invite_id: str
    id: str = field(name="mailId")
    base_url: str

    def to_item(self) -> QueuedJob:
        """Return the outbox item that requests the mail."""
        return job_item(self.organization, Job(JobQueue.MAIL, self.to_body(), self.invite_id))
