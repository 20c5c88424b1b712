"""Jobs of the signal queue: what follows from a change of a signal or the board, too long or too slow for the request.

They hold ids only. The queue keeps no order: each job reads what is true when it runs.
"""

from contextlib import suppress
from copy import replace
from enum import StrEnum

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class JobKind(StrEnum):
    """What a job of the signal queue is."""

    STATUS = "status"
    """The status changed: posts under the signal follow, and reporters of one that is done are notified."""
    MERGE = "merge"
    """A signal was merged: what it had moves to the signal that it was merged into."""
    TITLE = "title"
    """The title is new: its vector is computed."""
    COMMITS = "commits"
    """A report of commits names more cards than a request has time for: the rest of them are linked and moved."""
    IMAGES = "images"
    """A customer sent images in a conversation: their reports in it show them."""
    BOARD = "board"
    """The board's settings changed: posts follow the statuses of their signals, and lose tags that are deleted."""
    REINDEX = "reindex"
    """An operator restores what search and similar signals find."""


class SignalJob(JobBody, kw_only=True):
    """A job about a signal. `after` is where a slice of the work continues, None at the start.

    `notify` is that of a change to done. `conversation_id` is the one in which images were sent. A job that isn't about
    one signal has an empty `signal_id`; `work_id` is then the id of its work, and `turn` counts the slices of it.
    `statuses` are those of signals whose posts get another status.
    """

    kind: JobKind
    organization: str
    signal_id: str = ""
    work_id: str = ""
    turn: int = 1
    statuses: tuple[str, ...] = ()
    conversation_id: str = ""
    notify: bool = False
    after: str | None = None

    def to_job(self, due_at: int | None = None) -> Job:
        """Return the job for the outbox; with `due_at` (ms) it waits, for at most 15 minutes."""
        return Job(JobQueue.SIGNAL, self.to_body(), due_at=due_at)


def put(transaction: Transaction, job: Job) -> None:
    """Add a job without an event to a transaction."""
    transaction.put(job_item(job.message_group, job), new=True)


def hand_on(job: SignalJob, after: str) -> None:
    """Queue the next turn of a job's work, which continues after a place. A turn that is repeated queues none again."""
    following = replace(job, turn=job.turn + 1, after=after)
    transaction = Transaction()
    item = job_item(job.organization, following.to_job(), job_id=f"{job.work_id}.{following.turn}")
    transaction.put(item, new=True, on_failure=ConditionFailed)
    with suppress(ConditionFailed):
        transaction.commit()
