"""The jobs that follow from what is written in a conversation: the agent answers, or suggestions learn from it.

A conversation is read for a knowledge suggestion when it is resolved, and when a teammate answers a gap: a question
that the agent handed to the team because it found nothing. The suggestions package does that work.
"""

from helpdesk.conversations.record import Channel, Conversation
from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS

RATING_WAITS_MS = 2 * MINUTE_MS
"""How long a conversation has to stay resolved before its customer is asked for a rating."""


class AgentJob(JobBody):
    """A visitor's message to answer."""

    organization: str
    conversation_id: str
    message_id: str


class LearnJob(JobBody, tag_field="kind", tag="learn"):
    """A conversation to read for a suggestion."""

    organization: str
    conversation_id: str


class UnreadJob(JobBody, tag_field="kind", tag="unread"):
    """A message of the agent or the team, to be mailed if it's still unread at `due_at` (ms)."""

    organization: str
    conversation_id: str
    message_id: str
    due_at: int

    def to_job(self) -> Job:
        """Return the job for the timer queue."""
        return Job(JobQueue.TIMER, self.to_body(), due_at=self.due_at)


class ResolvedJob(JobBody, tag_field="kind", tag="resolved"):
    """A conversation that was resolved, whose customer is asked by mail for a rating at `due_at` (ms).

    `resolution` counts how often it was resolved by then.
    """

    organization: str
    conversation_id: str
    resolution: int
    due_at: int

    def to_job(self) -> Job:
        """Return the job for the timer queue."""
        return Job(JobQueue.TIMER, self.to_body(), due_at=self.due_at)


def resolved_jobs(conversation: Conversation) -> tuple[Job, ...]:
    """Return the job of a resolution by a person, or because the customer says so; none if it goes by no mail."""
    if conversation.channel is not Channel.EMAIL:
        return ()
    due_at = clock.now_ms() + RATING_WAITS_MS
    resolution = conversation.resolutions + 1
    return (ResolvedJob(conversation.organization, conversation.id, resolution, due_at).to_job(),)


def learn_job(organization: str, conversation_id: str) -> Job:
    """Return the job for a conversation. Those of an organization run one after another, to find the same question."""
    body = LearnJob(organization, conversation_id).to_body()
    return Job(JobQueue.SUGGESTION, body)


def answer_job(organization: str, conversation_id: str, message_id: str) -> Job:
    """Return the job in which the agent answers a visitor's message. Those of a conversation run one by one."""
    return Job(JobQueue.AGENT, AgentJob(organization, conversation_id, message_id).to_body())


def images_job(organization: str, conversation_id: str) -> Job:
    """Return the job that shows the images of a visitor's message with what they reported in the conversation."""
    body = {"kind": "images", "organization": organization, "conversationId": conversation_id}
    return Job(JobQueue.SIGNAL, body)
