"""Jobs of the integration queue. It keeps no order: each job reads what is true when it runs."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform.record import field
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

    GITHUB = "codehost"
    SLACK = "chatmirror"
    DISCORD = "chatcommunity"
    LINEAR = "tracker"


class IntegrationJob(JobBody, kw_only=True):
    """A job. `kind` is one of those above, or an adapter's own; `data` are ids and what a service sent.

    `tries` counts how often it was put off, `due_at` (ms) is until when.
    """

    kind: str
    app: App | None = None
    organization: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 0
    due_at: int | None = None

    @property
    def group(self) -> str:
        """What shares the queue fairly: an organization, or an account until it is known whose it is."""
        return self.organization or f"{self.app}.{self.data.get('account', '')}"

    def to_job(self) -> Job:
        """Return the job for the outbox."""
        return Job(JobQueue.INTEGRATION, self.to_body(), self.group, due_at=self.due_at)


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
