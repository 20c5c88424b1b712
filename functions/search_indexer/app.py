"""SearchQueue: making messages, notes and customers searchable.

The queue keeps no order and hands out many messages at once; those of one organization make one commit. Two of these
functions may meet at an organization's index: then one of them is overtaken and does its part again.
"""

import json
from typing import Any

from helpdesk.platform.logging import logger
from helpdesk.platform.queues import receives, try_all_again_soon
from helpdesk.platform.settings import settings
from helpdesk.search import indexing

# What an organization's commit takes at worst, merging and being overtaken included.
_LEFT_FOR_ONE_MS = 15_000


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Index a batch; report the messages to be tried again, and those for which no time is left.

    What cannot be read of one conversation fails alone. Where an organization's commit fails, its jobs come back soon.
    Organizations that have waited longest come first: what is left over again and again would be set aside at last.
    """
    groups: dict[str, list[tuple[dict[str, Any], Any]]] = {}
    failed: list[dict[str, Any]] = []
    for record in event["Records"]:
        try:
            job = json.loads(record["body"])
            groups.setdefault(job["organization"], []).append((record, job))
        except (KeyError, TypeError, ValueError) as error:
            _log("search_job_unreadable", "", error)
            failed.append(record)
    waited_longest_first = sorted(
        groups.items(), key=lambda group: max(receives(record) for record, _ in group[1]), reverse=True
    )
    for organization, work in waited_longest_first:
        if context.get_remaining_time_in_millis() < _LEFT_FOR_ONE_MS:
            logger.warning("search_out_of_time", extra={"organization": organization, "jobs": len(work)})
            failed += [record for record, _ in work]
        else:
            failed += _failures(organization, work)
    try_all_again_soon(settings().search_queue_url, failed)
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}


def _failures(organization: str, work: list[tuple[dict[str, Any], Any]]) -> list[dict[str, Any]]:
    """Do one organization's jobs; return the messages that failed."""
    try:
        indexing.index(organization, [job for _, job in work])
    except indexing.Unindexable as error:
        _log("search_jobs_failed", organization, error)
        return [record for record, job in work if job in error.jobs]
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        _log("search_batch_failed", organization, error)
        return [record for record, _ in work]
    return []


def _log(event: str, organization: str, error: Exception) -> None:
    logger.error(event, extra={"organization": organization, "error": type(error).__name__})
