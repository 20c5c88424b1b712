"""Runs that were lost: their worker died at every try, and the job is in the dead letters or gone.

A scheduled run looks at the watches that are due (helpdesk/tools/approvals/jobs.py). It queues a lost run again,
a few times. If that does not help, it asks a worker to hand the conversation to the team without another step.
"""

from helpdesk.agent_runs import repository
from helpdesk.agent_runs.record import Run
from helpdesk.agent_runs.state import CallState, RunState
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import jobs
from helpdesk.tools.approvals.jobs import LOST_AFTER_MS, RunWatch, watches
from helpdesk.tools.approvals.record import approvals
from helpdesk.tools.approvals.schemas import ApprovalStatus

MAX_REQUEUES = 3
"""How often a lost run is queued again before the team gets the conversation, and how often that is tried."""

_PAGE = 100


def queue_again(deadline: int) -> int:
    """Queue lost runs again; return how many.

    One query for each shard where there is none. Ends when there are no more, or at the instant `deadline` (ms).
    """
    now, queued = clock.now_ms(), 0

    def read(shard: int, after: Item | None) -> tuple[list[RunWatch], Item | None]:
        return watches.due(shard, now, _PAGE, after, index="GSI2")

    for page in shards.pages(read, now // MINUTE_MS, deadline):
        for watch in page:
            if clock.now_ms() < deadline:
                queued += _look_at(watch)
    return queued


def _look_at(watch: RunWatch) -> bool:
    """Take care of a run whose watch is due; return whether it was queued."""
    run = repository.runs.find(watch.organization, watch.conversation_id, watch.message_id)
    transaction, queues = Transaction(), False
    if run is None or run.state.is_over or _waits_for_the_team(run):
        jobs.end_seen_watch(transaction, watch)  # a decision watches it again
    elif run.saved_at > clock.now_ms() - LOST_AFTER_MS:
        jobs.move_watch(transaction, watch, jobs.due_at(run.saved_at), requeues=0)
    elif watch.requeues < 2 * MAX_REQUEUES:
        queues, gives_up = True, watch.requeues >= MAX_REQUEUES
        due = jobs.due_at(clock.now_ms())
        jobs.move_watch(transaction, watch, due, requeues=watch.requeues + 1)
        jobs.put_resume_job(
            transaction, watch.organization, watch.conversation_id, watch.message_id, gives_up=gives_up
        )
    else:
        logger.error(
            "run_lost", extra={"organization": watch.organization, "conversation": watch.conversation_id}
        )
        jobs.end_seen_watch(transaction, watch)
    try:
        transaction.commit()
    except ConditionFailed:
        return False  # a job has continued it meanwhile
    return queues


def _waits_for_the_team(run: Run) -> bool:
    """Return whether a run waits for decisions of which none was made: a decision queues a job of its own."""
    if run.state is not RunState.WAITING:
        return False
    asked = [call.approval_id for call in run.calls_in(CallState.WAITING) if call.approval_id is not None]
    found = [approvals.find(run.organization, each) for each in asked]
    return all(each is not None and each.status is ApprovalStatus.PENDING for each in found)
