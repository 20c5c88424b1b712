"""The delivery and retry queues: each message asks for one attempt, and a batch makes its attempts at once."""

import asyncio
import functools
from typing import Any, Final

from helpdesk.outbound.sender import Sender
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, report_failed
from helpdesk.platform.settings import declare, settings
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.queue import DeliveryTask

NEEDS = declare(
    "DELIVERY_QUEUE_URL",
    "RETRY_QUEUE_URL",
    "RETRY_DELAYS_SECONDS",
    "LONGEST_HOP_SECONDS",
    "ALLOW_LOOPBACK_URLS",
)


_runner: Final = asyncio.Runner()
"""The event loop of all batches: the connections that the sender keeps belong to it."""


@functools.cache
def _sender() -> Sender:
    return Sender(allow_loopback=settings().allow_loopback_urls)


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Handle a batch; report the messages that failed, which return to the queue soon."""
    return report_failed(_runner.run(_handle_all(event["Records"], _sender())))


async def _handle_all(records: list[Record], sender: Sender) -> list[Record]:
    outcomes = await asyncio.gather(*(_handle(record, sender) for record in records), return_exceptions=True)
    failed = []
    for record, outcome in zip(records, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            logger.error(
                "delivery_task_failed",
                extra={"messageId": record["messageId"], "error": type(outcome).__name__},
            )
            failed.append(record)
    return failed


async def _handle(record: Record, sender: Sender) -> None:
    # Parsed here, so that a malformed message fails alone.
    first = settings().queue_url_of(record["eventSourceARN"]) == settings().delivery_queue_url
    await deliveries.handle(DeliveryTask.from_json(record["body"]), sender, healthy_only=first)
