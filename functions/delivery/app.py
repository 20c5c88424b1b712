"""The delivery and retry queues: a message has a task on each line, and a batch makes its attempts at once."""

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
    failed: dict[str, Record] = {}
    for record in records:
        for line in record["body"].split("\n"):
            try:
                tasks.append(DeliveryTask.from_json(line))
            except ValueError as error:  # a malformed task fails alone
                _fail(record, error, failed)
            else:
                read.append(record)
    # All messages of an invocation come from one queue.
    first = settings().queue_url_of(records[0]["eventSourceARN"]) == settings().delivery_queue_url
    outcomes = await deliveries.handle(tasks, sender, healthy_only=first)
    for record, outcome in zip(read, outcomes, strict=True):
        if outcome is not None:
            _fail(record, outcome, failed)
    return [*failed.values()]


def _fail(record: Record, error: BaseException, failed: dict[str, Record]) -> None:
    logger.error(
        "delivery_task_failed", extra={"messageId": record["messageId"], "error": type(error).__name__}
    )
    failed[record["messageId"]] = record
