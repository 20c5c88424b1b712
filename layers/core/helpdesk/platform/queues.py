"""Queues: send many messages at once, and retry a failed message soon.

A failed message returns to its queue after the visibility timeout. AWS recommends six times the function's timeout, so
that no message is received while it is still being processed. That is too long for a visitor who waits for an answer.
"""

import json
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
"""How often a queue hands out a message before it goes to the dead letters (template/queues.yaml, maxReceiveCount)."""

RETRY_AFTER_SECONDS = (5, 20, 60, 120)
"""How long a message waits after its first, second, … failure."""


def write_dead_letter(queue_url: str, letter: dict[str, Any]) -> None:
    """Write what was given up to a dead-letter queue."""
    clients.sqs().send_message(QueueUrl=queue_url, MessageBody=json.dumps(letter))


def receives(record: dict[str, Any]) -> int:
    """Return how often a message was received, including this time."""
    return int(record["attributes"]["ApproximateReceiveCount"])


def try_again_soon(queue_url: str, record: dict[str, Any]) -> None:
    """Return a failed message to its queue after a wait that grows with its failures. The caller reports it as failed.

    If this fails, the message returns after the visibility timeout.
    """
    try:
        clients.sqs().change_message_visibility(
            QueueUrl=queue_url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=_wait_seconds(record)
        )
    except (ClientError, BotoCoreError) as error:
        logger.warning("retry_delay_not_set", extra={"error": type(error).__name__})


def try_all_again_soon(queue_url: str, records: Sequence[dict[str, Any]]) -> None:
    """Do the same for many messages, with one call per ten."""
    for start in range(0, len(records), _BATCH):
        entries: list[ChangeMessageVisibilityBatchRequestEntryTypeDef] = [
            {
                "Id": str(number),
                "ReceiptHandle": record["receiptHandle"],
                "VisibilityTimeout": _wait_seconds(record),
            }
            for number, record in enumerate(records[start : start + _BATCH])
        ]
        try:
            clients.sqs().change_message_visibility_batch(QueueUrl=queue_url, Entries=entries)
        except (ClientError, BotoCoreError) as error:
            logger.warning("retry_delay_not_set", extra={"error": type(error).__name__})


def _wait_seconds(record: dict[str, Any]) -> int:
    return RETRY_AFTER_SECONDS[min(receives(record), len(RETRY_AFTER_SECONDS)) - 1]


def send_all(queue_url: str, messages: "Sequence[SendMessageBatchRequestEntryTypeDef]") -> list[int]:
    """Send messages in order, ten per call; return the positions of those that the queue refused.

    `Id` is set here; the caller leaves it empty.
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
