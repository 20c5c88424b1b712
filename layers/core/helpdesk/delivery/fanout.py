"""From the stream to the queues: what the outbox says becomes deliveries and jobs.

The stream repeats records, and a batch may fail half-way; so everything here may be done again. A delivery is
booked by a conditional put, a job carries a deduplication id, and a repeated task is harmless.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.delivery import queue
from helpdesk.delivery import worker as deliveries
from helpdesk.delivery.queue import DeliveryTask
from helpdesk.events import outbox_pending
from helpdesk.events.outbox import Job, JobQueue
from helpdesk.platform import clients, clock
from helpdesk.platform.delays import hop_delay_seconds
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Item, Throttled, from_wire
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.record import Endpoint

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_THREADS = 8


@dataclass(slots=True)
class _Work:
    """What one record of the stream calls for."""

    sequence: str
    item: Item
    jobs: list[Job]
    tasks: list[DeliveryTask] = field(default_factory=list)
    failing: frozenset[str] = frozenset()
    failed: bool = False

    @property
    def is_event(self) -> bool:
        """Whether it is of interest to webhook endpoints, and not a job alone."""
        return "body" in self.item


def fan_out(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Turn stream records into queued work; return the sequence numbers of those that must come again.

    A record that cannot be read would fail for ever and hold up its shard: it is set aside for the operator.
    """
    works = [work for record in records if (work := _read(record)) is not None]
    _carry_out(works)
    return [work.sequence for work in works if work.failed]


def fan_out_again(items: Sequence[Item]) -> int:
    """Do for outbox items what a stream that failed did not; return how many of them are dealt with now.

    An endpoint gets what it listens to at this moment, if it was there when the event happened. An item that cannot be
    read is set aside and not met again.
    """
    works = []
    for item in items:
        try:
            works.append(_work(item["id"], item))
        except (KeyError, TypeError, ValueError) as error:
            _set_aside({"PK": item["PK"], "SK": item["SK"]}, error)
            outbox_pending.mark_dispatched([item])
    _carry_out(works)
    return sum(not work.failed for work in works)


def _carry_out(works: Sequence[_Work]) -> None:
    """Book, queue, and take note of what is thereby dealt with. What failed is marked so."""
    organizations = {work.item["organization"] for work in works if work.is_event}
    with ThreadPoolExecutor(_THREADS) as pool:
        listening = pool.map(webhooks.listening, organizations)
        endpoints = dict(zip(organizations, listening, strict=True))
        # Consumed, so that what a thread raises is raised here.
        list(pool.map(partial(_book, endpoints), [work for work in works if work.is_event]))
    _enqueue_tasks(works)
    _queue_jobs(works)
    try:
        outbox_pending.mark_dispatched([work.item for work in works if not work.failed])
    except (ClientError, BotoCoreError, Throttled) as error:
        # Everything is queued. What is not noted is queued once more by the reconciler, which does no harm.
        logger.warning("outbox_not_marked_dispatched", extra={"error": type(error).__name__})


def _read(record: Mapping[str, Any]) -> _Work | None:
    """Return what a record of the outbox calls for, or set the record aside."""
    try:
        return _work(record["dynamodb"]["SequenceNumber"], from_wire(record["dynamodb"]["NewImage"]))
    except (KeyError, TypeError, ValueError) as error:
        _set_aside(record.get("dynamodb", {}).get("Keys"), error)
        return None


def _work(sequence: str, item: Item) -> _Work:
    """Read an outbox item. Raises KeyError, TypeError or ValueError for one that is none."""
    work = _Work(sequence, item, [Job.from_attribute(job) for job in item["jobs"]])
    if work.is_event and not {"organization", "id", "type", "createdAt"} <= item.keys():
        raise KeyError("organization, id, type, createdAt")
    return work


def _set_aside(key: object, error: Exception) -> None:
    logger.error("record_unreadable", extra={"key": key, "error": type(error).__name__})
    clients.sqs().send_message(QueueUrl=settings().dead_letters_url, MessageBody=json.dumps({"key": key}))


def _book(endpoints: Mapping[str, list[Endpoint]], work: _Work) -> None:
    """Book an event's deliveries; note where that failed."""
    item = work.item
    listening = endpoints[item["organization"]]
    work.failing = frozenset(endpoint.id for endpoint in listening if endpoint.failing_since is not None)
    try:
        work.tasks = deliveries.create(
            item["organization"],
            item["id"],
            item["type"],
            item["createdAt"],
            listening,
            only_to=item.get("onlyTo"),
        )
    except Exception as error:  # noqa: BLE001 - one record's trouble must not hold up the others
        logger.error("record_failed", extra={"sequence": work.sequence, "error": type(error).__name__})
        work.failed = True


def _enqueue_tasks(works: Sequence[_Work]) -> None:
    owners = {task: work for work in works for task in work.tasks}
    failing = {task for work in works for task in work.tasks if task.endpoint_id in work.failing}
    answering = [task for task in owners if task not in failing]
    for task in (*queue.enqueue_first(answering), *queue.enqueue_retry([*failing])):
        owners[task].failed = True


def _queue_jobs(works: Sequence[_Work]) -> None:
    by_queue: dict[JobQueue, list[tuple[_Work, Job]]] = defaultdict(list)
    for work in works:
        for job in work.jobs:
            by_queue[job.queue].append((work, job))
    urls = {
        JobQueue.AGENT: settings().agent_queue_url,
        JobQueue.KNOWLEDGE: settings().knowledge_queue_url,
        JobQueue.MAIL: settings().mail_queue_url,
        JobQueue.SEARCH: settings().search_queue_url,
        JobQueue.TIMER: settings().timer_queue_url,
        JobQueue.ERASE: settings().erase_queue_url,
        JobQueue.DELIVERY: settings().delivery_queue_url,
    }
    for name, jobs in by_queue.items():
        refused = send_all(
            urls[name],
            [_entry_of(job) for _, job in jobs],
        )
        for place in refused:
            jobs[place][0].failed = True


def _entry_of(job: Job) -> "SendMessageBatchRequestEntryTypeDef":
    entry: SendMessageBatchRequestEntryTypeDef = {
        "Id": "",
        "MessageBody": json.dumps(job.body, separators=(",", ":")),
        "MessageGroupId": job.group,
    }
    if job.queue.ordered:  # a standard queue refuses it
        entry["MessageDeduplicationId"] = job.deduplication
    if job.due_at is not None:
        entry["DelaySeconds"] = hop_delay_seconds(job.due_at, clock.now_ms())
    return entry
