"""The search job: an instruction to bring the search index up to date with a conversation, customer or other noun.

A job has ids only; the index takes what the table has when the job runs. A message's job travels with the message's
event. A change without an event puts its job into the outbox by itself.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_OF_WHAT = frozenset({"organization", "message_id", "note_id"})
"""Fields that say whose the subject is, or which part of it. Each of the others is a subject."""


class SearchJob(JobBody):
    """A customer, signal, post or card, a conversation as a whole, or one message or note of a conversation."""

    organization: str
    conversation_id: str | None = None
    message_id: str | None = None
    note_id: str | None = None
    customer_id: str | None = None
    signal_id: str | None = None
    post_id: str | None = None
    task_id: str | None = None

    def __post_init__(self) -> None:
        """Require a subject: something that is indexed. Raises ValueError."""
        if not any(value for name, value in asdict(self).items() if name not in _OF_WHAT):
            raise ValueError("a search job names a conversation, customer, signal, post or card")

    @property
    def ids(self) -> set[str | None]:
        """The ids of the items that the job names."""
        return {value for name, value in asdict(self).items() if name != "organization"}


def message(organization: str, conversation_id: str, message_id: str) -> Job:
    """Return the job for a new message. It also updates what the index has of the conversation and the customer."""
    return _job(SearchJob(organization, conversation_id, message_id=message_id))


def note(organization: str, conversation_id: str, note_id: str) -> Job:
    """Return the job for a new note."""
    return _job(SearchJob(organization, conversation_id, note_id=note_id))


def conversation(organization: str, conversation_id: str) -> Job:
    """Return the job for a whole conversation: one that the index may lack, or one that is gone."""
    return _job(SearchJob(organization, conversation_id))


def customer(organization: str, customer_id: str) -> Job:
    """Return the job for a customer who is gone, or whose name or e-mail may have changed without a message."""
    return _job(SearchJob(organization, customer_id=customer_id))


def signal(organization: str, signal_id: str) -> Job:
    """Return the job for a signal that is new, changed, merged into another or gone."""
    return _job(SearchJob(organization, signal_id=signal_id))


def post(organization: str, post_id: str) -> Job:
    """Return the job for a post that is new, changed or gone."""
    return _job(SearchJob(organization, post_id=post_id))


def task(organization: str, task_id: str) -> Job:
    """Return the job for a card that is new, changed or gone."""
    return _job(SearchJob(organization, task_id=task_id))


def send(found: Sequence[Job]) -> int:
    """Send jobs straight to the queue, ten in a call; return how many it refused. For what is indexed again."""
    return len(send_all(settings().search_queue_url, [_message(job) for job in found]))


def _message(job: Job) -> "SendMessageBatchRequestEntryTypeDef":
    return {
        "Id": "",
        "MessageBody": json.dumps(job.body, separators=(",", ":")),
        "MessageGroupId": job.message_group,
    }


def put(transaction: Transaction, job: Job) -> None:
    """Add a job without an event to the transaction of its change."""
    transaction.put(job_item(job.message_group, job), new=True)


def _job(job: SearchJob) -> Job:
    # The queue groups by organization, so that a busy one does not hold up the others.
    return Job(JobQueue.SEARCH, job.to_body())
