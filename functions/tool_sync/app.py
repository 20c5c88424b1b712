"""ToolSyncQueue: read the manifests of tool endpoints, and clean up after removed ones."""

import json
from typing import Any

from helpdesk.approvals import expiry
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import try_again_soon
from helpdesk.platform.settings import declare, settings
from helpdesk.tools import jobs, removal, sync
from helpdesk.tools.jobs import SyncJob

NEEDS = declare("TOOL_SYNC_QUEUE_URL", "ALLOW_LOOPBACK_URLS")


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Do the work of a batch and report the messages that failed."""
    failed = [record for record in event["Records"] if not _done(record)]
    for record in failed:
        try_again_soon(settings().tool_sync_queue_url, record)
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}


def _done(record: dict[str, Any]) -> bool:
    try:
        body = json.loads(record["body"])
        job = jobs.job_from_body(body)
        outcome = (
            sync.work(job) if isinstance(job, SyncJob) else removal.work(job, expiry.expire_for_endpoint)
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        about = {"error": type(error).__name__, "message_id": record["messageId"]}
        logger.error("tool_sync_failed", extra=about)
        return False
    about = {name: body[name] for name in ("kind", "organization", "endpointId")}
    logger.info("tool_sync_worked", extra={**about, "outcome": outcome})
    return True
