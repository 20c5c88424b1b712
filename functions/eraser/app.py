"""EraseQueue: erase customers, what deleted posts leave, and each night the data past an organization's retention time.

It also gives customers who signed in what they wrote before.

A group of the queue is a customer, a post, or an organization with its retention.
"""

import json
from typing import Any

import msgspec

from helpdesk.board import service as board
from helpdesk.board.service import LeftoversJob
from helpdesk.customers.merging import MergeJob
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, JobUnfinished, Record, run_batch
from helpdesk.platform.settings import declare
from helpdesk.privacy import erasing, merging, retention
from helpdesk.privacy.service import ErasureJob, RetentionJob

NEEDS = declare("ERASE_QUEUE_URL", "FILES_BUCKET", "SEARCH_BUCKET")

_RESERVE_MS = 60_000  # for rewriting the index, and the page that is under way when the time is over


def handler(event: dict[str, Any], context: Any) -> BatchResponse | None:
    """Do the work of a batch and report the messages that failed, or queue the night's retention work."""
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    if "Records" not in event:
        logger.info("retention_begun", extra={"organizations": retention.start_daily_jobs(until)})
        return None
    return run_batch(event, lambda record: _work(record, until))


def _work(record: Record, until: int) -> None:
    body = json.loads(record["body"])
    job = msgspec.convert(body, LeftoversJob | MergeJob | ErasureJob | RetentionJob)
    match job:
        case LeftoversJob():
            if not board.finish_deletion(job.organization, job.post_id, until):
                raise JobUnfinished
        case MergeJob():
            outcome = merging.merge(job, until)
            logger.info(
                "customers_merged", extra={"organization": job.organization, "outcome": outcome.value}
            )
        case _:
            erase = retention.apply if isinstance(job, RetentionJob) else erasing.erase_customer
            about = {"kind": body["kind"], "organization": job.organization, "erasure": job.erasure_id}
            result = erase(job.organization, job.erasure_id, until)
            logger.info("erasure_worked", extra={**about, "outcome": result.value})
