"""The jobs that request mails to customers. They hold ids only."""

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


class RatingMail(JobBody, tag_field="kind", tag="rating"):
    """The mail that asks for a rating of a resolution, by how often the conversation was resolved by then."""

    organization: str
    customer_id: str
    conversation_id: str
    resolution: int

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail."""
        job = Job(JobQueue.OUTREACH, self.to_body(), self.customer_id)
        return job_item(self.organization, job)


class UnreadMail(JobBody, tag_field="kind", tag="unread"):
    """The mail of what is unread in a conversation, up to a message."""

    organization: str
    customer_id: str
    conversation_id: str
    message_id: str

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail. There's one for a message."""
        job = Job(JobQueue.OUTREACH, self.to_body(), self.customer_id)
        return job_item(self.organization, job, job_id=f"job_{self.message_id.partition('_')[2]}")
