"""The table's stream: outbox items become deliveries and jobs."""

from typing import Any

from helpdesk.delivery.fanout import fan_out
from helpdesk.platform.settings import QUEUES, declare

NEEDS = declare(*QUEUES, "DEAD_LETTERS_URL")


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Fan out a batch of stream records; those that failed are named, so that only they come again."""
    failed = fan_out(event["Records"])
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in failed]}
