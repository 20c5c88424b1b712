"""The search job: word that something of the inbox has changed, for the function that keeps the index.

It names ids alone; what is indexed is what the table has when the job is done. Whoever writes a message puts the job
beside its event, and whoever changes something of which no event tells puts it into the outbox by itself.
"""

from typing import Any

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.storage.transactions import Transaction


def message(organization: str, conversation_id: str, message_id: str) -> Job:
    """Return the job for a new message; its conversation's and customer's words are brought up to date with it."""
    return _job(organization, message_id, conversationId=conversation_id, messageId=message_id)


def note(organization: str, conversation_id: str, note_id: str) -> Job:
    """Return the job for a new note."""
    return _job(organization, note_id, conversationId=conversation_id, noteId=note_id)


def conversation(organization: str, conversation_id: str) -> Job:
    """Return the job for a whole conversation: for one that the index may lack, or one that is gone."""
    return _job(organization, conversation_id, conversationId=conversation_id)


def customer(organization: str, customer_id: str) -> Job:
    """Return the job for a customer whose name or e-mail may have changed without a message, or who is gone."""
    return _job(organization, customer_id, customerId=customer_id)


def put(transaction: Transaction, job: Job) -> None:
    """Add a job that no event carries to the transaction of the change."""
    transaction.put(job_item(job.body["organization"], job), new=True)


def _job(organization: str, unit: str, **what: Any) -> Job:
    # Organizations are groups of the queue so that a busy one does not hold up the others.
    return Job(JobQueue.SEARCH, organization, unit, {"organization": organization, **what})
