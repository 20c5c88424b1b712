"""The job that reads a conversation for a knowledge suggestion, and what its write requires of the conversation.

It is added when a conversation is resolved, and when a teammate answers a gap: a question that the agent handed to the
team because it found nothing. The suggestions package does the work.
"""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.conversations import repository
from helpdesk.conversations.record import Conversation
from helpdesk.events.outbox import Job, JobQueue
from helpdesk.platform import ids
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage.transactions import Transaction

LEARN = "learn"
"""The kind of the suggestion queue's messages that read a conversation."""


class LearnJob(FrozenRecord):
    """A conversation to read."""

    organization: str
    conversation_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["conversationId"])


def job(organization: str, conversation_id: str) -> Job:
    """Return the job for a conversation. Those of an organization run one after another, to find the same question."""
    body = {"kind": LEARN, "organization": organization, "conversationId": conversation_id}
    return Job(JobQueue.SUGGESTION, organization, ids.new("job"), body)


def require(transaction: Transaction, conversation: Conversation, *, closes_gap: bool) -> None:
    """Require that a conversation is not being erased, and close its gap if its question is in a suggestion now.

    The transaction raises ConversationNotFound, or StaleConversation if the gap is another one by now.
    """
    repository.require_present(transaction, conversation, closes_gap=closes_gap)
