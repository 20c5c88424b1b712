"""The jobs that follow from what is written in a conversation: the agent answers, or suggestions learn from it.

A conversation is read for a knowledge suggestion when it is resolved, and when a teammate answers a gap: a question
that the agent handed to the team because it found nothing. The suggestions package does that work.
"""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue
from helpdesk.platform import ids
from helpdesk.platform.record import Record

LEARN = "learn"
"""The kind of the suggestion queue's messages that read a conversation."""


class LearnJob(Record):
    """A conversation to read."""

    organization: str
    conversation_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["conversationId"])


def learn_job(organization: str, conversation_id: str) -> Job:
    """Return the job for a conversation. Those of an organization run one after another, to find the same question."""
    body = {"kind": LEARN, "organization": organization, "conversationId": conversation_id}
    return Job(JobQueue.SUGGESTION, organization, ids.new("job"), body)


def answer_job(organization: str, conversation_id: str, message_id: str, deduplication: str) -> Job:
    """Return the job in which the agent answers a visitor's message. Those of a conversation run one by one."""
    body = {"organization": organization, "conversationId": conversation_id, "messageId": message_id}
    return Job(JobQueue.AGENT, conversation_id, deduplication, body)


def images_job(organization: str, conversation_id: str) -> Job:
    """Return the job that shows the images of a visitor's message with what they reported in the conversation."""
    body = {"kind": "images", "organization": organization, "conversationId": conversation_id}
    return Job(JobQueue.SIGNAL, organization, ids.new("job"), body)
