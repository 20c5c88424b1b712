"""What a report of commits still has for cards when the request's time is over, as items that the worker takes up.

An item holds some of the commits and pull requests, each with the numbers of the cards that it is still to be linked
to. It is written together with the job that names it, so that neither is lost.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import msgspec

from helpdesk.events.outbox import Job
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record, field
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.signals import jobs
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, plain
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks.links import LinkedCommit, LinkedPullRequest

_DAYS = 7  # as long as the outbox keeps a job
_MAX_BYTES = 200_000
"""Of the parts of one item, which may have 400 KB."""


class Part(Record):
    """A commit or pull request, and the cards that it names: by their numbers, whether it finishes them."""

    what: LinkedCommit | LinkedPullRequest
    cards: Mapping[int, bool]

    @classmethod
    def from_item(cls, part: Item) -> Self:
        """Read an element of the parts."""
        kind: type[LinkedCommit | LinkedPullRequest] = (
            LinkedCommit if "sha" in part["what"] else LinkedPullRequest
        )
        return cls(
            msgspec.convert(part["what"], kind),
            {int(number): finishes for number, finishes in part["cards"].items()},
        )

    def to_item(self) -> Item:
        """Return an element of the parts."""
        return {"what": plain(self.what), "cards": self.cards}


class QueuedReport(Stored, kw_only=True):
    """The rest of a report, by whom it was sent, and when what it says happened (ms)."""

    PK, SK = "ORG#{organization}#REPORT#{id}", "REPORT"
    organization: str
    id: str
    by_name: ActorName | None = None
    at: int
    parts_json: str = field(name="parts")
    expires_at: int

    @property
    def parts(self) -> Sequence[Part]:
        """The commits and pull requests, each with the cards that are left."""
        return tuple(map(Part.from_item, json.loads(self.parts_json)))


reports = Collection(QueuedReport)


def queue(organization: str, actor: ActorName | None, at: int, parts: Sequence[Part]) -> None:
    """Write parts of a report and their jobs. One transaction for each 200 KB of them, of which a report has seven."""
    for some in _batches(parts):
        rest = QueuedReport(
            organization=organization,
            id=ids.new("report"),
            by_name=actor,
            at=at,
            parts_json=_json([part.to_item() for part in some]),
            expires_at=clock.seconds_from_now(_DAYS * DAY_SECONDS),
        )
        transaction = Transaction()
        transaction.put(rest, new=True)
        jobs.put(transaction, job(rest))
        transaction.commit()


def job(rest: QueuedReport, *, after: int | None = None) -> Job:
    """Return the job of a queued report, for the cards after a number."""
    return SignalJob(
        kind=JobKind.COMMITS,
        organization=rest.organization,
        work_id=rest.id,
        after=None if after is None else str(after),
    ).to_job()


def remove(rest: QueuedReport) -> None:
    """Remove a report whose work is done."""
    table.delete(rest.key)


def _batches(parts: Sequence[Part]) -> Iterator[list[Part]]:
    batch: list[Part] = []
    used = 0
    for part in parts:
        length = len(_json(part.to_item()).encode())
        if batch and used + length > _MAX_BYTES:
            yield batch
            batch, used = [], 0
        batch.append(part)
        used += length
    if batch:
        yield batch


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
