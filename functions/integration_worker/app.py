"""IntegrationQueue: process what connected services sent, and send them what changed here.

Each night, check every connection. Every ten minutes, ask for hooks that did not arrive.
"""

from collections.abc import Callable
from typing import Any

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import worker
from helpdesk.integrations.adapter import Adapter
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.github import lost_hooks
from helpdesk.integrations.github.worker import GitHubAdapter
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.slack.worker import SlackAdapter
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, run_batch
from helpdesk.platform.settings import declare

NEEDS = declare("INTEGRATION_QUEUE_URL", "SERVICES_URL", "BASE_URL", "KNOWLEDGE_BUCKET")

ADAPTERS: dict[App, Adapter] = {
    each.app: each for each in (GitHubAdapter(), SlackAdapter(), DiscordAdapter(), LinearAdapter())
}

_RUNS: dict[str, Callable[[int], int]] = {
    "connections": worker.check_all,
    "hooks": lost_hooks.ask_again,
}
"""The work of a scheduled run. Each takes an instant (ms) to end at and returns how many it is about."""

_SLICE_MS = 60_000
_RESERVE_MS = 25_000  # for the request and the document that are under way when the time is over


def handler(event: dict[str, Any], context: Any) -> BatchResponse | None:
    """Do the work of a batch and report the messages that failed, or do the run that an event names.

    The next run makes up for one that is missed or fails.
    """
    left = int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    until = clock.now_ms() + min(_SLICE_MS, left)
    if "Records" not in event:
        run = event["run"]
        logger.info("integrations_run", extra={"run": run, "count": _RUNS[run](until)})
        return None
    return run_batch(event, lambda record: _work(record, until))


def _work(record: Record, until: int) -> None:
    job = IntegrationJob.from_json(record["body"])
    outcome = worker.work(job, ADAPTERS, until)
    about = {
        "kind": job.kind,
        "app": job.app.value if job.app else None,
        "organization": job.organization,
        "tries": job.tries,
    }
    logger.info("integration_worked", extra={**about, "outcome": outcome})
