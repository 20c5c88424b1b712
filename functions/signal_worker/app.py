"""SignalQueue: what follows from changes of signals, of the board's settings, and from large reports of commits."""

from typing import Any

from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, run_batch
from helpdesk.platform.settings import declare
from helpdesk.progress import worker
from helpdesk.signals.jobs import SignalJob

NEEDS = declare(
    "SIGNAL_QUEUE_URL",
    "SEARCH_QUEUE_URL",
    "MAIL_FROM",
    "OUTREACH_PER_HOUR",
    "EMBEDDING_MODEL_ID",
    "BEDROCK_ENDPOINT_URL",
)

_SLICE_MS = 50_000
_RESERVE_MS = 10_000  # for the transaction that is under way when the time is over


def handler(event: dict[str, Any], context: Any) -> BatchResponse:
    """Do the work of a batch and report the messages that failed."""
    left = int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    until = clock.now_ms() + min(_SLICE_MS, left)
    return run_batch(event, lambda record: _work(record, until))


def _work(record: Record, until: int) -> None:
    job = SignalJob.from_json(record["body"])
    outcome = worker.work(job, until)
    about = {"kind": job.kind.value, "organization": job.organization, "signalId": job.signal_id}
    logger.info("signal_worked", extra={**about, "outcome": outcome})
