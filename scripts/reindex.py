"""Adds the conversations and customers that an organization's search index lacks.

For an index that was lost, or one of another version. The jobs go straight to the search queue and have ids only. What
the index has is left alone.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.conversations.index_keys import InboxList
from helpdesk.events.outbox import Job
from helpdesk.knowledge.index_kinds import ReindexJob
from helpdesk.platform import ids
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.search import jobs
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_PAGE = 500


def reindex(organization: str) -> dict[str, int]:
    """Queue an index job for each conversation and customer; return their numbers, and how many the queue refused.

    A conversation that moves between lists meanwhile may be queued twice, or missed until its next message.
    """
    conversations = [
        jobs.conversation(organization, item["id"])
        for inbox_list in InboxList
        for item in _all(keys.inbox(organization, inbox_list.value))
    ]
    customers = [jobs.customer(organization, item["id"]) for item in _all(keys.customers(organization))]
    refused = send_all(settings().search_queue_url, [_message(job) for job in (*conversations, *customers)])
    return {"conversations": len(conversations), "customers": len(customers), "refused": len(refused)}


def reindex_knowledge(organization: str) -> dict[str, int]:
    """Queue the first of the jobs that index an organization's documents for the embedding model that is set."""
    job = ReindexJob(organization, run=ids.ulid()).to_job()
    message: SendMessageBatchRequestEntryTypeDef = {
        "Id": "",
        "MessageBody": json.dumps(job.body, separators=(",", ":")),
        "MessageGroupId": job.group,
        "MessageDeduplicationId": job.deduplication,
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


def _message(job: Job) -> "SendMessageBatchRequestEntryTypeDef":
    return {"Id": "", "MessageBody": json.dumps(job.body, separators=(",", ":")), "MessageGroupId": job.group}
