"""The job that lets the agent go on after a decision, and the watch over runs, so that one that was lost is found.

The agent's worker does the job. A message group of its queue is a conversation, so no two workers go on at once.

A watch is put when a run begins and with each job that continues it, and ends when the run is over. A watch that is
due belongs to a run whose worker died at every try of its job, or that waits for a person
(helpdesk/agent_runs/lost_runs.py). It is an item of its own because a run can have 300 KB, which an index would repeat.
"""

from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, field
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals.record import Approval


class ResumeJob(JobBody, tag_field="kind", tag="resume"):
    """A run to continue, by the visitor's message that it is for.

    With `gives_up` the conversation goes to the team without another step, because the steps have failed repeatedly.
    """

    organization: str
    conversation_id: str
    message_id: str
    gives_up: bool = False


def put_resume(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Let the agent's worker continue a run, and watch the run."""
    put_resume_job(transaction, organization, conversation_id, message_id)
    watch(transaction, organization, conversation_id, message_id)


def put_resume_job(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    message_id: str,
    *,
    gives_up: bool = False,
) -> None:
    """Let the agent's worker continue a run that is watched already, or with `gives_up` end it."""
    body = ResumeJob(organization, conversation_id, message_id, gives_up).to_body()
    job = Job(JobQueue.AGENT, body)
    transaction.put(job_item(organization, job), new=True)


def put_resume_of(transaction: Transaction, approval: Approval) -> None:
    """Let the agent's worker continue the run that asked for an approval."""
    put_resume(transaction, approval.organization, approval.conversation_id, approval.run_message_id)


LOST_AFTER_MS = 15 * MINUTE_MS
"""How long a run may stay as it is while it waits for nobody. A job of the agent's queue that nobody continues is
visible again after 12 minutes."""

_KEPT_SECONDS = 30 * DAY_SECONDS  # as long as the run itself


class RunWatch(Stored, kw_only=True):
    """A run that a worker has to continue, until the run is over: then it is no longer in the index.

    `due` is when to look at it, as the index sorts it, and `requeues` how often the run was queued again.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "RUNWATCH#{message_id}"
    GSI2 = "DUERUNS#{shard}", "{due}"
    organization: str
    conversation_id: str
    message_id: str
    due: str | None = field(name="GSI2SK", default=None)
    requeues: int = 0
    expires_at: int | None = None

    @property
    def shard(self) -> int:
        """Which shard of the index it is in."""
        return shards.shard_of(self.message_id)


watches = Collection(RunWatch)


def watch(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Watch a run from now on, in the transaction of its job."""
    _put_watch(transaction, organization, conversation_id, message_id, due_at(clock.now_ms()))


def end_watch(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Watch a run no longer. Its item stays, out of the index, because the agent's worker may delete nothing."""
    _put_watch(transaction, organization, conversation_id, message_id, None)


def _put_watch(
    transaction: Transaction, organization: str, conversation_id: str, message_id: str, due: str | None
) -> None:
    transaction.put(
        RunWatch(
            organization=organization,
            conversation_id=conversation_id,
            message_id=message_id,
            due=due,
            expires_at=clock.seconds_from_now(_KEPT_SECONDS),
        )
    )


def due_at(touched: int) -> str:
    """Return when to look at a run that was touched at an instant (ms), as the index sorts it."""
    return f"{touched + LOST_AFTER_MS:013d}"


def move_watch(transaction: Transaction, seen: RunWatch, due: str, *, requeues: int) -> None:
    """Look at a run at another time. The transaction raises ConditionFailed if the watch is not as it was seen."""
    transaction.change(
        seen.key,
        set={"due": due, "requeues": requeues},
        require={"due": seen.due},
        on_failure=ConditionFailed,
    )


def end_seen_watch(transaction: Transaction, seen: RunWatch) -> None:
    """Watch a run no longer. The transaction raises ConditionFailed if the watch is not as it was seen."""
    transaction.change(
        seen.key,
        set={"GSI2PK": None, "GSI2SK": None},
        require={"due": seen.due},
        on_failure=ConditionFailed,
    )
