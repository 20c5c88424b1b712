"""The table's stream: turn outbox items into deliveries and jobs."""

from typing import Any

from helpdesk.delivery.fanout import fan_out
from helpdesk.platform.settings import QUEUES, declare

NEEDS = declare(*QUEUES, "DEAD_LETTERS_URL")


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Fan out a batch of stream records; report those that failed, so that only they are repeated."""
    failed = fan_out(event["Records"])
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in failed]}
