"""The job that requests the mail of a message of the team. It holds ids only."""

from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item


class MessageMail(JobBody, tag_field="kind", tag="message"):
    """The mail of one message to one customer. Mails to one customer keep their order."""

    organization: str
    customer_id: str
    conversation_id: str
    message_id: str

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail."""
        job = Job(JobQueue.OUTREACH, self.to_body(), self.customer_id)
        return job_item(self.organization, job)
