"""The outbox: items that a transaction writes and the stream carries to the fan-out.

An *event* is for webhook endpoints. Its item holds its data as JSON text, so every attempt of every delivery sends the
same bytes. A *job* is work for one of the service's own queues. An event's item may include jobs, which saves an item
where one change leads to both (a visitor's message: notify the endpoints, and let the agent answer).

The stream keeps a record for 24 hours, and the fan-out repeats what fails. What it missed for longer is still in the
table, from where `python -m scripts.admin replay` fans it out (docs/guides/operating.md).
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

import msgspec

from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.stored import Stored, plain
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

OUTBOX = "outbox"
"""The `entity` of outbox items. The stream mapping's filter in template.yaml passes only these, and lines."""
LINE = "line"
"""The `entity` of a system line that comes without an event: the fan-out lets those who follow the thread know."""

EVENT_DAYS = 30  # as long as the delivery history reaches back
JOB_DAYS = 7  # how long after the stream's 24 hours a replay still finds it
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


class Job(Record, omit_defaults=True):
    """Work for a queue.

    `group` is what must happen in order. Without it, that is the conversation for the agent's queue, and otherwise the
    organization. With `due_at` (ms) the message is delayed until then, for at most 15 minutes. Only queues that keep no
    order support that. A queue that keeps an order drops a job of the same outbox item within five minutes.
    """

    queue: JobQueue
    body: dict[str, Any]
    group: str = ""
    due_at: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a job that its queue would refuse."""
        if not self.message_group or not isinstance(self.message_group, str):
            raise ValueError("a job has a group")

    @property
    def message_group(self) -> Any:
        """The group of its message."""
        return self.group or self.body.get(
            "conversationId" if self.queue is JobQueue.AGENT else "organization"
        )


class Outbox(Stored, kw_only=True):
    """An outbox item. Its `entity` is what the stream's filter passes; `expires_at` is in seconds."""

    id: str
    entity: str = OUTBOX
    jobs: tuple[Job, ...] = ()
    expires_at: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for two jobs in a queue that keeps an order: it takes them for one, by the item's ID."""
        ordered = [job.queue for job in self.jobs if job.queue.ordered]
        if len(ordered) > len(set(ordered)):
            raise ValueError("an outbox item has one job for each queue that keeps an order")


class TenantOutbox(Outbox, kw_only=True):
    """An outbox item of an organization. Its key has the organization, so the bodies of its jobs are stored without.

    Each byte counts: an item of more than a kilobyte costs twice as much (docs/cost.md).
    """

    organization: str

    def to_item(self) -> Item:
        """Return the item."""
        item = super().to_item()
        return item | {"jobs": [_job_to_item(job, self.organization) for job in item["jobs"]]}

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item. Raises UnreadableItem."""
        jobs = item.get("jobs")
        if isinstance(jobs, list):
            organization = (cls.parse(item["PK"], item["SK"]) or {}).get("organization")
            item = item | {"jobs": [_job_from_item(job, organization) for job in jobs]}
        return super().from_item(item)


def _job_to_item(job: dict[str, Any], organization: str) -> dict[str, Any]:
    body = job["body"]
    if body.get("organization") != organization:
        return job
    return job | {"body": {name: value for name, value in body.items() if name != "organization"}}


def _job_from_item(job: Any, organization: str | None) -> Any:
    if isinstance(job, dict) and isinstance(body := job.get("body"), dict):
        return job | {"body": {"organization": organization, **body}}
    return job


class Event(TenantOutbox, kw_only=True):
    """Something that happened, for the webhook endpoints of one organization.

    `data` is JSON text in the shape of the event's kind. `created_at` is when it happened, in ms, and is the same for
    all events of one change. An event with `only_to` goes to that endpoint alone, whatever the endpoint listens to, and
    is not in the feed.
    """

    PK, SK = "ORG#{organization}#EVENT#{id}", "EVENT"
    GSI1 = "ORG#{organization}#EVENTS", "{feed_place}"
    type: str
    created_at: int
    data: str
    only_to: str | None = None

    @classmethod
    def new(
        cls,
        organization: str,
        type: WebhookEvent | OwnEvent,  # noqa: A002 - its name in the API
        data: dict[str, Any],
        created_at: int,
        jobs: tuple[Job, ...] = (),
        *,
        only_to: str | None = None,
    ) -> Self:
        """Return an event with an ID of its own. `data` is described in Specification: Events, data by kind."""
        return cls(
            organization=organization,
            id=ids.event(),
            type=type.value,
            created_at=created_at,
            data=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
            jobs=jobs,
            only_to=only_to,
            expires_at=clock.seconds_from_now(EVENT_DAYS * DAY_SECONDS),
        )

    @property
    def body(self) -> str:
        """The JSON text that every attempt sends (Specification: Events, Envelope).

        The item has each of its parts once, because every byte of it counts (docs/cost.md).
        """
        return f'{{"id":"{self.id}","type":"{self.type}","createdAt":{self.created_at},"data":{self.data}}}'

    @property
    def feed_place(self) -> str | None:
        """Its place in the feed, which is in order of time as IDs are."""
        return self.id if self.only_to is None else None

    def add_to(self, transaction: Transaction) -> None:
        """Add the event to the transaction of its change, and give the transaction a deadline.

        The feed is in the order of IDs, so a late event would appear where readers have passed. A transaction that
        misses its deadline raises DeadlineExceeded and must be built again, with a new ID (docs/decisions/0051).
        """
        transaction.put(self, new=True)
        if self.only_to is None:
            transaction.set_deadline(ids.event_made_at(self.id) + SEND_WITHIN_MS)


class QueuedJob(TenantOutbox, kw_only=True):
    """A job in the outbox without an event."""

    PK, SK = "ORG#{organization}#JOB#{id}", "JOB"


class HookDelivery(Outbox, kw_only=True):
    """A request that a service sent, by the hash of its id; its presence makes it the only one.

    No organization owns its job yet, so no erasure would find it: the fan-out removes the job once it is queued.
    """

    PK, SK = "HOOK#{app}#{delivery_hash}", "HOOK"
    app: str
    delivery_hash: str


def job_item(organization: str, job: Job, *, job_id: str | None = None) -> QueuedJob:
    """Return the outbox item of a job without an event. With a `job_id` of the caller's it is there once."""
    return QueuedJob(organization=organization, id=job_id or ids.new("job"), **_queued(job))


def hook_item(app: str, delivery_hash: str, job: Job) -> HookDelivery:
    """Return the outbox item of a job for a request that a service sent."""
    return HookDelivery(app=app, delivery_hash=delivery_hash, id=ids.new("job"), **_queued(job))


def _queued(job: Job) -> dict[str, Any]:
    """Return the fields of an outbox item with one job."""
    return {
        "jobs": (job,),
        "expires_at": clock.seconds_from_now(JOB_DAYS * DAY_SECONDS),
    }
