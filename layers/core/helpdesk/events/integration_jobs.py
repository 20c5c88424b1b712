"""Jobs of the integration queue. It keeps no order: each job reads what is true when it runs."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import ids
from helpdesk.platform.record import Record, field
from helpdesk.storage.transactions import Transaction

HOOK = "hook"
"""A request of a service. It names an account, and an organization only where several are connected to it."""
CONNECTED, REMOVED = "connected", "removed"
LOOK = "look"
"""A connection is checked, as every night: what its service sent may have been lost."""
REPLACED = "replaced"
"""A connection gave way to another one, which may be to the same account: nothing is given back at the service."""
SIGNAL = "signal"
"""A signal was filed or changed its status. It is for the adapters of every app."""


class App(StrEnum):
    """A kind of service. Each has one adapter, which speaks to one service."""

    CODEHOST = "codehost"
    CHATMIRROR = "chatmirror"
    CHATCOMMUNITY = "chatcommunity"
    TRACKER = "tracker"


class IntegrationJob(Record, kw_only=True):
    """A job. `kind` is one of those above, or an adapter's own; `data` are ids and what a service sent.

    `tries` counts how often it was put off, `due_at` (ms) is until when.
    """

    kind: str
    app: App | None = None
    organization: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 0
    due_at: int | None = None

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError, ValueError."""
        return cls(
            kind=body["kind"],
            app=App(body["app"]) if body.get("app") else None,
            organization=body.get("organization"),
            data=body.get("data", {}),
            tries=body.get("tries", 0),
            due_at=body.get("dueAt"),
        )

    def to_body(self) -> dict[str, Any]:
        """Return the job as a queue message."""
        return {
            "kind": self.kind,
            **({"app": self.app.value} if self.app else {}),
            **({"organization": self.organization} if self.organization else {}),
            "data": dict(self.data),
            **({"tries": self.tries} if self.tries else {}),
            **({"dueAt": self.due_at} if self.due_at is not None else {}),
        }

    @property
    def group(self) -> str:
        """What shares the queue fairly: an organization, or an account until it is known whose it is."""
        return self.organization or f"{self.app}.{self.data.get('account', '')}"

    def to_job(self) -> Job:
        """Return the job for the outbox."""
        return Job(JobQueue.INTEGRATION, self.group, ids.new("job"), self.to_body(), self.due_at)


def signal_job(organization: str, signal_id: str, *, filed: bool) -> Job:
    """Return the job by which services follow a signal that was filed, or whose status changed."""
    data = {"signalId": signal_id, **({"filed": True} if filed else {})}
    return IntegrationJob(kind=SIGNAL, organization=organization, data=data).to_job()


def put(transaction: Transaction, job: IntegrationJob) -> None:
    """Add a job of an organization to a transaction."""
    transaction.put(job_item(job.organization or "", job.to_job()), new=True)


def enqueue(job: IntegrationJob) -> None:
    """Queue a job of an organization. One write."""
    transaction = Transaction()
    put(transaction, job)
    transaction.commit()
