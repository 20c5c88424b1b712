"""TimerQueue: do work that is due, such as ending a snooze. Scheduled runs queue the work that is due soon."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from helpdesk.agent_runs import lost_runs
from helpdesk.conversations import snoozes
from helpdesk.conversations.approvals import EndApprovalsJob
from helpdesk.conversations.jobs import ResolvedJob, UnreadJob
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.notifications import looking
from helpdesk.outreach import resolved, unread
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, run_batch
from helpdesk.platform.settings import declare
from helpdesk.tools import sync_state
from helpdesk.tools.approvals import expiry
from helpdesk.webhooks.following import TeamJob

NEEDS = declare("TIMER_QUEUE_URL", "MAIL_FROM", "OUTREACH_PER_HOUR")

_RESERVE_MS = 10_000  # for the page that is under way when the time is over

# The work of a scheduled run. Each takes a deadline (ms) and returns how many items it processed.
_RUNS: dict[str, Callable[[int], int]] = {
    "snoozes": snoozes.queue_due,
    "approvals": expiry.expire_due,
    "runs": lost_runs.queue_again,
    "syncs": sync_state.queue_again,
}
_ALL = "due"


def handler(event: dict[str, Any], context: Any) -> BatchResponse | None:
    """Do the work of a batch and report the messages that failed, or do the run that an event names; `due` is all.

    The next run makes up for one that is missed or fails.
    """
    if "Records" not in event:
        until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
        for run in _RUNS if event["run"] == _ALL else (event["run"],):
            logger.info("timer_run", extra={"run": run, "count": _RUNS[run](until)})
        return None
    return run_batch(event, _work)


def _work(record: Record) -> None:
    body = json.loads(record["body"])
    job = msgspec.convert(body, WakeJob | EndApprovalsJob | UnreadJob | ResolvedJob | TeamJob)
    if isinstance(job, WakeJob):
        outcome = snoozes.wake(job).value
    elif isinstance(job, UnreadJob):
        outcome = unread.look(job).value
    elif isinstance(job, ResolvedJob):
        outcome = resolved.look(job).value
    elif isinstance(job, TeamJob):
        outcome = looking.look(job).value
    else:
        outcome = f"expired {expiry.expire_for_conversation(job.organization, job.conversation_id)}"
    logger.info("timer_worked", extra={"kind": body["kind"], "outcome": outcome})
