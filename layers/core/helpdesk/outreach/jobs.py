"""The jobs that request mails to customers. They hold ids only."""

from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item


class _CustomerMail(JobBody):
    """A mail about a conversation to its customer. Mails to one customer keep their order."""

    organization: str
    customer_id: str
    conversation_id: str

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail."""
        return job_item(self.organization, self._job())

    def _job(self) -> Job:
        return Job(JobQueue.OUTREACH, self.to_body(), self.customer_id)


class MessageMail(_CustomerMail, tag_field="kind", tag="message"):
    """The mail of one message."""

    message_id: str


class RatingMail(_CustomerMail, tag_field="kind", tag="rating"):
    """The mail that asks for a rating of a resolution, by how often the conversation was resolved by then."""

    resolution: int


class UnreadMail(_CustomerMail, tag_field="kind", tag="unread"):
    """The mail of what is unread, up to a message."""

    message_id: str

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail. There's one for a message."""
        job_id = f"job_{self.message_id.partition('_')[2]}"
        return job_item(self.organization, self._job(), job_id=job_id)
