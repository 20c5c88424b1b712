"""The jobs that request mails to teammates. They hold ids only."""

from collections.abc import Sequence

from helpdesk.accounts.members.record import NotificationKind
from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item


class TeamNews(JobBody, tag_field="kind", tag="team_news"):
    """What is new in a conversation: for everyone, and for its assignee. `bounced`: a mail to the customer did."""

    organization: str
    conversation_id: str
    of_all: Sequence[NotificationKind] = ()
    assignee: str | None = None
    of_assignee: Sequence[NotificationKind] = ()
    bounced: bool = False

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mails."""
        return job_item(self.organization, Job(JobQueue.MAIL, self.to_body()))


class TeamMail(JobBody, tag_field="kind", tag="team"):
    """A mail about one conversation to one member, and why they get it."""

    organization: str
    conversation_id: str
    user_id: str
    reasons: Sequence[NotificationKind]
    bounced: bool = False

    def to_item(self) -> QueuedJob:
        """Return the outbox item that asks for the mail."""
        return job_item(self.organization, Job(JobQueue.MAIL, self.to_body()))
