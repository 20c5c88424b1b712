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
    return report_failed(_runner.run(_handle(event["Records"], _sender())))


async def _handle(records: list[Record], sender: Sender) -> list[Record]:
    tasks: list[DeliveryTask] = []
    read: list[Record] = []
    failed: list[Record] = []
    for record in records:
        try:
            tasks.append(DeliveryTask.from_json(record["body"]))
        except ValueError as error:  # a malformed message fails alone
            failed.append(_failed(record, error))
        else:
            read.append(record)
    # All messages of an invocation come from one queue.
    first = settings().queue_url_of(records[0]["eventSourceARN"]) == settings().delivery_queue_url
    outcomes = await deliveries.handle(tasks, sender, healthy_only=first)
    return failed + [
        _failed(record, error) for record, error in zip(read, outcomes, strict=True) if error is not None
    ]


def _failed(record: Record, error: BaseException) -> Record:
    logger.error(
        "delivery_task_failed", extra={"messageId": record["messageId"], "error": type(error).__name__}
    )
    return record
