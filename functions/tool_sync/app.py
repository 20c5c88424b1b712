"""ToolSyncQueue: read the manifests of tool endpoints, and clean up after removed ones."""

import json
from typing import Any

import msgspec

from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, run_batch
from helpdesk.platform.settings import declare
from helpdesk.tools import sync
from helpdesk.tools.approvals import expiry
from helpdesk.tools.jobs import RemovalJob, SyncJob

NEEDS = declare("TOOL_SYNC_QUEUE_URL", "ALLOW_LOOPBACK_URLS")


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Do the work of a batch and report the messages that failed."""
    return run_batch(event, _work)


def _work(record: Record) -> None:
    body = json.loads(record["body"])
    job = msgspec.convert(body, SyncJob | RemovalJob)
    outcome = sync.work(job) if isinstance(job, SyncJob) else sync.clean_up(job, expiry.expire_for_endpoint)
    about = {name: body[name] for name in ("kind", "organization", "endpointId")}
    logger.info("tool_sync_worked", extra={**about, "outcome": outcome})
