"""Trying a queue's message again soon.

A failed message comes back when its visibility timeout is over. AWS wants that at six times a function's timeout, so
that no message is handed out while it is still being worked on; for a visitor who waits for an answer that is too long.
"""

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.platform import clients
from helpdesk.platform.logging import logger

RETRY_AFTER_SECONDS = (5, 20, 60, 120)
"""How long a message rests after its first, second, … failure."""


def receives(record: dict[str, Any]) -> int:
    """Return how often a message has been handed out, this time included."""
    return int(record["attributes"]["ApproximateReceiveCount"])


def try_again_soon(queue_url: str, record: dict[str, Any]) -> None:
    """Let a failed message come back after a rest that grows with its failures; report it as failed besides.

    Where this cannot be done, the message comes back after the visibility timeout.
    """
    if not queue_url:
        return
    rest = RETRY_AFTER_SECONDS[min(receives(record), len(RETRY_AFTER_SECONDS)) - 1]
    try:
        clients.sqs().change_message_visibility(
            QueueUrl=queue_url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=rest
        )
    except (ClientError, BotoCoreError) as error:
        logger.warning("retry_not_hastened", extra={"error": type(error).__name__})
