"""Adds the conversations, customers, signals, posts and cards that an organization's search index lacks.

For an index that was lost, or one of another version. The jobs go straight to their queues and have ids only. What the
index has is left alone.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.conversations.record import Conversation, InboxList
from helpdesk.customers.record import Customer
from helpdesk.knowledge.index_kinds import ReindexJob
from helpdesk.platform import ids
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.search import jobs
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.storage import table
from helpdesk.storage.table import Item

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_PAGE = 500


def reindex(organization: str) -> dict[str, int]:
    """Queue an index job for each conversation and customer; return their numbers, and how many the queue refused.

    Signals, posts and cards follow in jobs of the signal worker, as do the vectors of signals' titles that are missing
    or of another model. A conversation that moves between lists meanwhile may be queued twice, or missed until its next
    message.
    """
    conversations = [
        jobs.conversation(organization, item["id"])
        for inbox_list in InboxList
        for item in _all(Conversation.partition_for(organization, inbox_list, index="GSI1"))
    ]
    customers = [
        jobs.customer(organization, item["id"])
        for item in _all(Customer.partition_for(organization, index="GSI1"))
    ]
    refused = jobs.send([*conversations, *customers])
    backlog = SignalJob(kind=JobKind.REINDEX, organization=organization, work_id=ids.new("work"))
    body = json.dumps(backlog.to_job().body, separators=(",", ":"))
    refused += len(send_all(settings().signal_queue_url, [{"Id": "", "MessageBody": body}]))
    return {"conversations": len(conversations), "customers": len(customers), "refused": refused}


def reindex_knowledge(organization: str) -> dict[str, int]:
    """Queue the first of the jobs that index an organization's documents for the embedding model that is set."""
    reindex = ReindexJob(organization, run=ids.ulid())
    job = reindex.to_job()
    message: SendMessageBatchRequestEntryTypeDef = {
        "Id": "",
        "MessageBody": json.dumps(job.body, separators=(",", ":")),
        "MessageGroupId": job.message_group,
        "MessageDeduplicationId": reindex.id,
    }
    return {"refused": len(send_all(settings().knowledge_queue_url, [message]))}


def _all(partition: str) -> Iterator[Item]:
    after: Item | None = None
    while True:
        page = table.query(partition, index="GSI1", limit=_PAGE, after=after)
        yield from page.items
        after = page.after
        if after is None:
            return
