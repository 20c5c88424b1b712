"""EraseQueue: erase customers, what deleted posts leave, and each night the data past an organization's retention time.

It also gives customers who signed in what they wrote before.

A group of the queue is a customer, a post, or an organization with its retention.
"""

import json
from collections.abc import Callable
from typing import Any

from helpdesk.board import deletion
from helpdesk.customers import jobs as merges
from helpdesk.customers.jobs import MergeJob
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, JobUnfinished, Record, run_batch
from helpdesk.platform.settings import declare
from helpdesk.privacy import erasing, merging, retention, service
from helpdesk.privacy.erasing import Outcome

NEEDS = declare("ERASE_QUEUE_URL", "FILES_BUCKET", "SEARCH_BUCKET")

_RESERVE_MS = 60_000  # for rewriting the index, and the page that is under way when the time is over

_WORK: dict[str, Callable[[str, str, int], Outcome]] = {
    service.CUSTOMER: erasing.erase_customer,
    service.RETENTION: retention.apply,
}


def handler(event: dict[str, Any], context: Any) -> BatchResponse | None:
    """Do the work of a batch and report the messages that failed, or queue the night's retention work."""
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    if "Records" not in event:
        logger.info("retention_begun", extra={"organizations": retention.start_daily_jobs(until)})
        return None
    return run_batch(event, lambda record: _work(record, until))


def _work(record: Record, until: int) -> None:
    work = json.loads(record["body"])
    organization = work["organization"]
    if work["kind"] == deletion.JOB:
        if not deletion.finish(organization, work["postId"], until):
            raise JobUnfinished
    elif work["kind"] == merges.MERGE:
        outcome = merging.merge(MergeJob.from_body(work), until)
        logger.info("customers_merged", extra={"organization": organization, "outcome": outcome.value})
    else:
        about = {"kind": work["kind"], "organization": organization, "erasure": work["erasureId"]}
        outcome = _WORK[work["kind"]](organization, work["erasureId"], until)
        logger.info("erasure_worked", extra={**about, "outcome": outcome.value})
