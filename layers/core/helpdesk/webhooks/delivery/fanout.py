"""From the stream to the queues: outbox items become deliveries and jobs. Other changes become hints for live updates.

The stream repeats records, and a batch may fail half-way, so every step may be repeated: a job's message has
the ID of its item, and a repeated task is harmless, because the first attempt's claim creates the delivery.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from helpdesk.events.outbox import Event, Job, JobQueue
from helpdesk.events.stored import OutboxItem
from helpdesk.live import hints, invoking
from helpdesk.live.hints import NO_HINTS, Hints
from helpdesk.platform import clock, queues
from helpdesk.platform.logging import log_unreadable, logger
from helpdesk.platform.queues import hop_delay_seconds
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed, Item, from_wire
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import queue, record_guard
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.following import (
    TEAM_WAITS_MS,
    TeamJob,
    followed_by,
    line_followed_by,
    team_job,
)
from helpdesk.webhooks.record import Endpoints, WebhookEndpoint

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_THREADS = 8


@dataclass(slots=True)
class _Work:
    """An outbox item on its way: the tasks of its deliveries, and whether anything about it failed.

    `item` is the item as it was read, `sequence` the place of its record in the stream. `failed` asks for a repetition;
    `bad` says that a repetition would fail again, because of the item itself or an endpoint of its organization.
    """

    sequence: str
    item: Item
    outbox: OutboxItem
    tasks: list[DeliveryTask] = field(default_factory=list)
    followed: list[Job] = field(default_factory=list)
    failing: frozenset[str] = frozenset()
    failed: bool = False
    bad: Exception | None = None

    @property
    def key(self) -> Item:
        """The item's primary key."""
        pk, sk = table.key_of(self.item)
        return {"PK": pk, "SK": sk}

    def fail(self, error: Exception) -> None:
        """Note an error: whether it calls for a repetition, or is a fault of the record."""
        if record_guard.is_of_the_record(error):
            self.bad = error
            log_unreadable(self.key, error)
        else:
            logger.error("record_failed", extra={"key": self.key, "error": type(error).__name__})
            self.failed = True


def fan_out(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Turn stream records into queued work; return the sequence numbers of failed records, which the stream repeats.

    A record that cannot be read would fail forever and block its shard, so it moves to the dead-letter queue. So does
    one that was carried out in part, such as an event with one unreadable endpoint.
    """
    changed = hints.collect(records)
    works = [work for record in records if hints.is_outbox(record) and (work := _read(record)) is not None]
    _dispatch(works, changed)
    return [work.sequence for work in works if work.failed]


def fan_out_again(items: Sequence[Item]) -> int:
    """Fan out items that the stream did not bring; return how many were fanned out whole.

    An endpoint gets what it listens to at this moment, if it existed when the event happened. What was delivered before
    is not sent again. An item that cannot be read, or carried out in part only, moves to the dead-letter queue.
    """
    works = []
    for item in items:
        try:
            works.append(_Work("", item, OutboxItem.from_item(item)))
        except Exception as error:  # noqa: BLE001 - one item must not hold up the others
            pk, sk = table.key_of(item)
            _dead_letter({"PK": pk, "SK": sk}, error)
    _dispatch(works)
    return sum(not work.failed and work.bad is None for work in works)


def _dispatch(works: Sequence[_Work], changed: Hints = NO_HINTS) -> None:
    """Queue the tasks and jobs of outbox items, and send hints. Sets `failed` on those to repeat."""
    events = [(work, work.outbox.event) for work in works if work.outbox.event is not None]
    lines = [(work, work.outbox.line) for work in works if work.outbox.line is not None]
    organizations = {event.organization for _, event in events} | {line[0] for _, line in lines}
    organizations |= changed.organizations
    with ThreadPoolExecutor(_THREADS) as pool:
        endpoints = dict(zip(organizations, pool.map(_listeners, organizations), strict=True))
        # Hints go out beside the rest, so that no delivery waits for them.
        live = {name for name, found in endpoints.items() if not isinstance(found, Exception) and found.live}
        if wanted := changed.of(live):
            pool.submit(invoking.send, wanted)
        for work, event in events:
            _plan_deliveries(work, event, endpoints[event.organization])
        for work, (organization, conversation_id) in lines:
            _follow_line(work, organization, conversation_id, endpoints[organization])
        _enqueue_tasks(works)
        _enqueue_jobs(works)
        for work in works:
            if not work.failed:
                _finish(work)


def _finish(work: _Work) -> None:
    """Give up what a repetition would not mend, and forget what a service sent."""
    try:
        if work.bad is not None:
            write_dead_letter(work.key)
        elif work.outbox.hook is not None:
            with suppress(ConditionFailed):
                table.change(work.outbox.hook, set={"jobs": None})
    except Exception as error:  # noqa: BLE001 - a failure of one record must not hold up the others
        logger.error("record_failed", extra={"key": work.key, "error": type(error).__name__})
        work.failed = True


def _read(record: Mapping[str, Any]) -> _Work | None:
    """Read a stream record. One that cannot be read moves to the dead-letter queue, and None is returned."""
    try:
        change = record["dynamodb"]
        item = from_wire(change["NewImage"])
        return _Work(change["SequenceNumber"], item, OutboxItem.from_item(item))
    except Exception as error:  # noqa: BLE001 - one record must not hold up its shard
        _dead_letter(record.get("dynamodb", {}).get("Keys"), error)
        return None


def _dead_letter(key: object, error: Exception) -> None:
    log_unreadable(key, error)
    write_dead_letter(key)


def write_dead_letter(key: object) -> None:
    """Write the key of an item that was given up to the fan-out's dead-letter queue."""
    queues.write_dead_letter(settings().dead_letters_url, {"key": key})


def _listeners(organization: str) -> Endpoints | Exception:
    """Return an organization's endpoints, or why they could not be read."""
    try:
        return webhooks.listeners(organization)
    except Exception as error:  # noqa: BLE001 - a failure of one organization must not hold up the others
        return error


def _plan_deliveries(work: _Work, event: Event, found: Endpoints | Exception) -> None:
    """Note the tasks of an event's first attempts."""
    if isinstance(found, Exception):
        work.fail(found)
        return
    if event.only_to is None:
        try:
            work.followed = followed_by(event, found.followers) if found.followers else []
            if settings().mail_from and (notice := team_job(event)) is not None:
                work.followed.append(notice)
        except (ValueError, LookupError, AttributeError, TypeError) as wrong:  # its data is not what we write
            log_unreadable(work.key, wrong)
            work.bad = wrong
        for endpoint_id, error in found.unreadable:
            log_unreadable(WebhookEndpoint.key_for(event.organization, endpoint_id).attributes(), error)
            work.bad = error
    wanted = [endpoint for endpoint in found.readable if endpoint.receives(event)]
    work.failing = frozenset(endpoint.id for endpoint in wanted if endpoint.failing_since is not None)
    work.tasks = [DeliveryTask.first(event, endpoint) for endpoint in wanted]


def _follow_line(work: _Work, organization: str, conversation_id: str, found: Endpoints | Exception) -> None:
    """Let who follows the conversations of an organization look at a line that came without an event."""
    if isinstance(found, Exception):
        work.fail(found)
        return
    work.followed = line_followed_by(organization, conversation_id, found.followers)
    if settings().mail_from:
        notice = TeamJob(organization, conversation_id, clock.now_ms() + TEAM_WAITS_MS)
        work.followed.append(notice.to_job())


def _enqueue_tasks(works: Sequence[_Work]) -> None:
    owners = {task: work for work in works for task in work.tasks}
    failing = {task for work in works for task in work.tasks if task.endpoint_id in work.failing}
    answering = [task for task in owners if task not in failing]
    for task in (*queue.enqueue_first(answering), *queue.enqueue_retry([*failing])):
        owners[task].failed = True


def _enqueue_jobs(works: Sequence[_Work]) -> None:
    by_queue: dict[JobQueue, list[tuple[_Work, Job]]] = defaultdict(list)
    for work in works:
        for job in (*work.outbox.jobs, *work.followed):
            by_queue[job.queue].append((work, job))
    for name, jobs in by_queue.items():
        url = settings().queue_url(name)
        try:
            refused = _send(url, jobs)
        except Exception as error:
            if not record_guard.is_of_the_record(error):
                raise
            _enqueue_singly(url, jobs)
            continue
        for place in refused:
            jobs[place][0].failed = True


def _enqueue_singly(url: str, jobs: Sequence[tuple[_Work, Job]]) -> None:
    """Queue jobs one by one, so that only the job that SQS refuses for its content is a dead letter."""
    for work, job in jobs:
        try:
            if _send(url, [(work, job)]):
                work.failed = True
        except Exception as error:  # noqa: BLE001 - a failure of one record must not hold up the others
            work.fail(error)


def _send(url: str, jobs: Sequence[tuple[_Work, Job]]) -> list[int]:
    """Send jobs to their queue; return the positions of those that it refused. Search jobs share messages."""
    if jobs[0][1].queue is JobQueue.SEARCH:
        return queues.send_shared(url, [(job.message_group, _body_of(job)) for _, job in jobs])
    return queues.send_all(url, [_entry_of(work, job) for work, job in jobs])


def _body_of(job: Job) -> str:
    return json.dumps(job.body, separators=(",", ":"))


def _entry_of(work: _Work, job: Job) -> "SendMessageBatchRequestEntryTypeDef":
    entry: SendMessageBatchRequestEntryTypeDef = {
        "Id": "",
        "MessageBody": _body_of(job),
        "MessageGroupId": job.message_group,
    }
    if job.queue.ordered:  # a standard queue refuses it
        entry["MessageDeduplicationId"] = work.outbox.id
    if job.due_at is not None:
        entry["DelaySeconds"] = hop_delay_seconds(job.due_at, clock.now_ms())
    return entry
