"""The table's stream: turn outbox items into deliveries and jobs, and other changes into hints."""

from typing import Any

from helpdesk.platform.queues import BatchResponse, batch_response
from helpdesk.platform.settings import QUEUES, declare
from helpdesk.webhooks.delivery.fanout import fan_out

NEEDS = declare(*QUEUES, "DEAD_LETTERS_URL", "MAIL_FROM", "LIVE_FUNCTION")


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Fan out a batch of stream records; report those that failed, so that only they are repeated."""
    return batch_response(fan_out(event["Records"]))
