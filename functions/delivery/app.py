"""The delivery and retry queues: each message asks for one attempt, and a batch makes its attempts at once."""

import asyncio
from typing import Any

from helpdesk.delivery import service as deliveries
from helpdesk.delivery.queue import Reminder
from helpdesk.delivery.sender import Sender
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Handle a batch; messages whose handling failed are named and come back after the visibility timeout."""
    failed = asyncio.run(_handle_all(event["Records"]))
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


async def _handle_all(records: list[dict[str, Any]]) -> list[str]:
    async with Sender(allow_loopback=settings().allow_loopback_urls) as sender:
        outcomes = await asyncio.gather(
            *(deliveries.handle(Reminder.from_json(record["body"]), sender) for record in records),
            return_exceptions=True,
        )
    failed = []
    for record, outcome in zip(records, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            logger.error(
                "reminder_failed",
                extra={"messageId": record["messageId"], "error": type(outcome).__name__},
            )
            failed.append(record["messageId"])
    return failed
