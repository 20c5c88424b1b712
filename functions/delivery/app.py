"""The delivery and retry queues: each message asks for one attempt, and a batch makes its attempts at once."""

import asyncio
from typing import Any

from helpdesk.delivery import worker as deliveries
from helpdesk.delivery.queue import DeliveryTask
from helpdesk.outbound.sender import Sender
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import try_again_soon
from helpdesk.platform.settings import declare, settings

NEEDS = declare(
    "DELIVERY_QUEUE_URL",
    "RETRY_QUEUE_URL",
    "RETRY_DELAYS_SECONDS",
    "LONGEST_HOP_SECONDS",
    "ALLOW_LOOPBACK_URLS",
)


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Handle a batch; report the messages that failed, which return to the queue soon."""
    failed = asyncio.run(_handle_all(event["Records"]))
    for record in failed:
        try_again_soon(_queue_of(record), record)
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}


async def _handle_all(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    async with Sender(allow_loopback=settings().allow_loopback_urls) as sender:
        outcomes = await asyncio.gather(
            *(_handle(record, sender) for record in records), return_exceptions=True
        )
    failed = []
    for record, outcome in zip(records, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            logger.error(
                "delivery_task_failed",
                extra={"messageId": record["messageId"], "error": type(outcome).__name__},
            )
            failed.append(record)
    return failed


async def _handle(record: dict[str, Any], sender: Sender) -> None:
    # Parsed here, so that a malformed message fails alone.
    first = _queue_of(record) == settings().delivery_queue_url
    await deliveries.handle(DeliveryTask.from_json(record["body"]), sender, healthy_only=first)


def _queue_of(record: dict[str, Any]) -> str:
    """Return the URL of the queue that a message came from: one of the two that this function serves."""
    name = str(record["eventSourceARN"]).rpartition(":")[2]
    urls = (settings().delivery_queue_url, settings().retry_queue_url)
    return next((url for url in urls if url.rpartition("/")[2] == name), "")
