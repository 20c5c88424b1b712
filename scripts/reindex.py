"""Asking for everything of an organization to be made searchable again.

For an index that was lost, or one of another format: the search indexer adds what the index lacks and leaves alone what
it has. The jobs go straight to the search queue and hold ids only.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.conversations.index_keys import InboxList
from helpdesk.events.outbox import Job
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.search import jobs
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_PAGE = 500


def reindex(organization: str) -> dict[str, int]:
    """Ask for an organization's conversations and customers; return how many there are, and what the queue refused.

    One message of the queue for each; a conversation that moves between lists meanwhile may be asked for twice, or
    missed, and is then indexed with its next message.
    """
    conversations = [
        jobs.conversation(organization, item["id"])
        for inbox_list in InboxList
        for item in _all(keys.inbox(organization, inbox_list.value))
    ]
    customers = [jobs.customer(organization, item["id"]) for item in _all(keys.customers(organization))]
    refused = send_all(settings().search_queue_url, [_message(job) for job in (*conversations, *customers)])
    return {"conversations": len(conversations), "customers": len(customers), "refused": len(refused)}


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
