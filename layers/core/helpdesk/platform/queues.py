"""Queues: sending many messages at once, and trying a failed one again soon.

A failed message comes back when its visibility timeout is over. AWS wants that at six times a function's timeout, so
that no message is handed out while it is still being worked on; for a visitor who waits for an answer that is too long.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.platform import clients
from helpdesk.platform.logging import logger

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import (
        ChangeMessageVisibilityBatchRequestEntryTypeDef,
        SendMessageBatchRequestEntryTypeDef,
    )

_BATCH = 10  # SendMessageBatch's limit

MAX_RECEIVES = 5
"""How often a queue hands out a message before it goes to the dead letters (template/data.yaml, maxReceiveCount)."""

RETRY_AFTER_SECONDS = (5, 20, 60, 120)
"""How long a message rests after its first, second, … failure."""


def receives(record: dict[str, Any]) -> int:
    """Return how often a message has been handed out, this time included."""
    return int(record["attributes"]["ApproximateReceiveCount"])


def try_again_soon(queue_url: str, record: dict[str, Any]) -> None:
    """Let a failed message come back after a rest that grows with its failures; report it as failed besides.

    Where this cannot be done, the message comes back after the visibility timeout.
    """
    try:
        clients.sqs().change_message_visibility(
            QueueUrl=queue_url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=_rest(record)
        )
    except (ClientError, BotoCoreError) as error:
        logger.warning("retry_delay_not_set", extra={"error": type(error).__name__})


def try_all_again_soon(queue_url: str, records: Sequence[dict[str, Any]]) -> None:
    """Do for many failed messages what `try_again_soon` does for one. One call for ten of them."""
    for start in range(0, len(records), _BATCH):
        entries: list[ChangeMessageVisibilityBatchRequestEntryTypeDef] = [
            {
                "Id": str(number),
                "ReceiptHandle": record["receiptHandle"],
                "VisibilityTimeout": _rest(record),
            }
            for number, record in enumerate(records[start : start + _BATCH])
        ]
        try:
            clients.sqs().change_message_visibility_batch(QueueUrl=queue_url, Entries=entries)
        except (ClientError, BotoCoreError) as error:
            logger.warning("retry_delay_not_set", extra={"error": type(error).__name__})


def _rest(record: dict[str, Any]) -> int:
    return RETRY_AFTER_SECONDS[min(receives(record), len(RETRY_AFTER_SECONDS)) - 1]


def send_all(queue_url: str, messages: "Sequence[SendMessageBatchRequestEntryTypeDef]") -> list[int]:
    """Send messages in their order, ten to a call; return the places of those that the queue refused.

    A message's `Id` is given here, so its maker leaves it empty.
    """
    refused: list[int] = []
    for start in range(0, len(messages), _BATCH):
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {**message, "Id": str(start + number)}
            for number, message in enumerate(messages[start : start + _BATCH])
        ]
        answer = clients.sqs().send_message_batch(QueueUrl=queue_url, Entries=entries)
        refused += [int(failure["Id"]) for failure in answer.get("Failed", [])]
    return refused
