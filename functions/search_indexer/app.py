"""SearchQueue: index messages, notes and customers for search.

The queue keeps no order and delivers many messages at once. A message holds one job or several, each on a line. Those
of one organization make one commit. If two executions commit to one index at the same time, one of them is refused and
repeats its part.
"""

from typing import Any

from helpdesk.platform.logging import log_failure, logger
from helpdesk.platform.queues import BatchResponse, Record, receives, report_failed
from helpdesk.platform.settings import declare
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob

NEEDS = declare("SEARCH_QUEUE_URL", "SEARCH_BUCKET")

# The longest time that one organization's commit takes, with merges and repetitions.
_LEFT_FOR_ONE_MS = 15_000


def handler(event: dict[str, Any], context: Any) -> BatchResponse:
    """Index a batch; report the messages that failed, and those for which there is no time left.

    A job that can't be done fails alone, and its message returns to the queue. If an organization's commit fails, all
    of its messages return soon. The messages that were received most often come first, because too many receives move a
    message to the dead letters.
    """
    groups: dict[str, list[tuple[Record, SearchJob]]] = {}
    failed: dict[str, Record] = {}
    for record in event["Records"]:
        for line in record["body"].split("\n"):
            try:
                job = SearchJob.from_json(line)
                groups.setdefault(job.organization, []).append((record, job))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                log_failure("search_job_unreadable", "", error)
                failed[record["messageId"]] = record
    most_received_first = sorted(
        groups.items(), key=lambda group: max(receives(record) for record, _ in group[1]), reverse=True
    )
    for organization, work in most_received_first:
        if context.get_remaining_time_in_millis() < _LEFT_FOR_ONE_MS:
            logger.warning("search_out_of_time", extra={"organization": organization, "jobs": len(work)})
            unfinished = [record for record, _ in work]
        else:
            unfinished = _failures(organization, work)
        failed |= {record["messageId"]: record for record in unfinished}
    return report_failed([*failed.values()])


def _failures(organization: str, work: list[tuple[Record, SearchJob]]) -> list[Record]:
    """Do one organization's jobs; return the messages that failed."""
    try:
        indexing.index(organization, [job for _, job in work])
    except indexing.Unindexable as error:
        log_failure("search_jobs_failed", organization, error)
        return [record for record, job in work if job in error.jobs]
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        log_failure("search_batch_failed", organization, error)
        return [record for record, _ in work]
    return []
