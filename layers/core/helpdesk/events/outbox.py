"""The outbox: items that a transaction writes and the stream carries to the fan-out.

An *event* is for webhook endpoints. Its item holds the final JSON text, so every attempt of every delivery sends the
same bytes. A *job* is work for one of the service's own queues. An event's item may include jobs, which saves an item
where one change leads to both (a visitor's message: notify the endpoints, and let the agent answer).
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

import msgspec

from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record, field
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import attributes, keys, shards
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.stored import plain
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

OUTBOX = "outbox"
"""The `entity` of outbox items. The stream mapping's filter in template.yaml passes only these, and lines."""
LINE = "line"
"""The `entity` of a system line that comes without an event: the fan-out lets those who follow the thread know."""

EVENT_DAYS = 30  # as long as the delivery history reaches back
JOB_DAYS = 7  # longer than the stream (24 h) and the queues (4 days) hold on to it
SEND_WITHIN_MS = 10_000
"""How old an event may be when a try of its transaction is sent to DynamoDB."""


class JobQueue(StrEnum):
    """The queues that the outbox feeds."""

    AGENT = "agent"
    KNOWLEDGE = "knowledge"
    MAIL = "mail"
    """Invitations, and codes for support addresses."""
    OUTREACH = "outreach"
    """Messages to customers by mail, apart from the mail that somebody waits for."""
    SEARCH = "search"
    """Work for the search index. Keeps no order."""
    SUGGESTION = "suggestion"
    """Threads to learn from."""
    TIMER = "timer"
    """Work for a later time. Keeps no order."""
    ERASE = "erase"
    CRAWL = "crawl"
    """Slices of crawls, and the removal of deleted ones. Keeps no order."""
    TOOL_SYNC = "tool_sync"
    """Manifests to read, and what removed tool endpoints left. Keeps no order."""
    SIGNAL = "signal"
    """Merged signals, and what follows a signal's status or title. Keeps no order."""
    INTEGRATION = "integration"
    """What services of integrations sent, and what is to be sent to them. Keeps no order."""
    DELIVERY = "delivery"
    """The queue of first attempts, for a redelivery. Keeps no order."""

    @property
    def ordered(self) -> bool:
        """Whether it is a FIFO queue, which drops a repeated message within five minutes."""
        return self not in {
            JobQueue.SEARCH,
            JobQueue.TIMER,
            JobQueue.CRAWL,
            JobQueue.TOOL_SYNC,
            JobQueue.SIGNAL,
            JobQueue.INTEGRATION,
            JobQueue.DELIVERY,
        }


class JobBody(Record, omit_defaults=True):
    """The body of a job: an object with the fields in camel case, without those that have their default.

    In a queue that has jobs of several kinds, each has a tag: `class AskJob(JobBody, tag_field="kind", tag="ask")`.
    Then `msgspec.convert(body, AskJob | LearnJob)` reads whichever it is. Unknown fields are ignored.
    """

    def to_body(self) -> dict[str, Any]:
        """Return the body of a `Job`."""
        body: dict[str, Any] = plain(self)
        return body

    def to_json(self) -> str:
        """Return the text of a queue message."""
        return msgspec.json.encode(self, enc_hook=str).decode()

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Read a body. Raises ValueError."""
        return msgspec.convert(body, cls)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text of a queue message. Raises ValueError."""
        return msgspec.json.decode(text, type=cls)


class Job(Record):
    """Work for a queue.

    `group` is what must happen in order (a conversation, an organization). `deduplication` identifies the unit of work,
    so that a stream record that is read twice within five minutes becomes one message. With `due_at` (ms) the message
    is delayed until then, for at most 15 minutes. Only queues that keep no order support that.
    """

    queue: JobQueue
    group: str
    deduplication: str
    body: dict[str, Any]
    due_at: int | None = None

    def to_item(self) -> Item:
        """Return the job as an attribute of its outbox item, without values that follow from others.

        Each kilobyte of an event's item is written and read more than ten times (docs/cost.md).
        """
        attribute: Item = {"queue": self.queue.value, "body": self.body}
        if self.queue.ordered or self.group != self.body.get("organization"):
            attribute["group"] = self.group
        if self.queue.ordered:
            attribute["deduplication"] = self.deduplication
        if self.due_at is not None:
            attribute["dueAt"] = self.due_at
        return attribute

    @classmethod
    def from_item(cls, item: Item) -> "Job":
        """Read a job from its outbox item. Raises UnreadableItem, or ValueError for an unknown queue."""
        body = item.get("body")
        if not isinstance(body, dict):
            raise UnreadableItem("body")
        queue = JobQueue(attributes.text(item, "queue"))
        return cls(
            queue=queue,
            group=attributes.text(item, "group")
            if "group" in item
            else attributes.text(body, "organization"),
            deduplication=attributes.text(item, "deduplication") if queue.ordered else "",
            body=body,
            due_at=attributes.number(item, "dueAt") if "dueAt" in item else None,
        )


class Event(Record):
    """Something that happened, for the webhook endpoints of one organization.

    `data` has the shape that the specification gives for the kind (Specification: Events, data by kind). `created_at`
    is when it happened, in ms, and is the same for all events of one change. An event with `only_to` goes to that
    endpoint alone, whatever the endpoint listens to, and is not in the feed.
    """

    organization: str
    type: WebhookEvent | OwnEvent
    data: dict[str, Any]
    created_at: int
    jobs: tuple[Job, ...] = ()
    id: str = field(default_factory=ids.event)
    only_to: str | None = None

    def body(self) -> str:
        """Return the envelope as the JSON text that is signed and sent (Specification: Events, Envelope)."""
        return json.dumps(
            {"id": self.id, "type": self.type.value, "createdAt": self.created_at, "data": self.data},
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def add_to(self, transaction: Transaction) -> None:
        """Add the event to the transaction of its change, and give the transaction a deadline.

        The feed is in the order of IDs, so a late event would appear where readers have passed. A transaction that
        misses its deadline raises DeadlineExceeded and must be built again, with a new ID (docs/decisions/0051).
        """
        transaction.put(self.to_item(), new=True)
        if self.only_to is None:
            transaction.set_deadline(ids.event_made_at(self.id) + SEND_WITHIN_MS)

    def to_item(self) -> Item:
        """Return the outbox item."""
        place = (
            {"GSI1PK": keys.event_feed(self.organization), "GSI1SK": self.id}
            if self.only_to is None
            else {"onlyTo": self.only_to}
        )
        return {
            **keys.Event(self.organization, self.id).attributes(),
            **place,
            **_pending_index(self.id),
            "entity": OUTBOX,
            "id": self.id,
            "organization": self.organization,
            "type": self.type.value,
            "createdAt": self.created_at,
            "body": self.body(),
            "jobs": [job.to_item() for job in self.jobs],
            "expiresAt": clock.seconds_from_now(EVENT_DAYS * DAY_SECONDS),
        }


def _pending_index(item_id: str) -> Item:
    """Return the entry in GSI2 that the fan-out removes. The reconciler finds items that keep it."""
    return {"GSI2PK": shards.new_outbox_items(shards.shard_of(item_id)), "GSI2SK": f"{clock.now_ms():013d}"}


def job_item(organization: str, job: Job, *, job_id: str | None = None) -> Item:
    """Return the outbox item of a job without an event. With a `job_id` of the caller's it is there once."""
    job_id = job_id or ids.new("job")
    return {**_job_item(keys.Job(organization, job_id), job_id, job), "organization": organization}


def keyed_job_item(key: keys.HookDelivery, job: Job) -> Item:
    """Return the outbox item of a job that no organization owns yet. Its key makes the job the only one."""
    return _job_item(key, ids.new("job"), job)


def _job_item(key: keys.ItemKey, job_id: str, job: Job) -> Item:
    return {
        **key.attributes(),
        **_pending_index(job_id),
        "entity": OUTBOX,
        "id": job_id,
        "jobs": [job.to_item()],
        "expiresAt": clock.seconds_from_now(JOB_DAYS * DAY_SECONDS),
    }
