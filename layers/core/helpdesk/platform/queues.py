"""Queues: send many messages, do the work of a batch, and retry failed messages soon.

A failed message returns to its queue after the visibility timeout. AWS recommends six times the function's timeout, so
that no message is received while it is still being processed. That is too long for a visitor who waits for an answer.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import batched
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.platform import clients, clock
from helpdesk.platform.logging import error_name, logger
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import (
        ChangeMessageVisibilityBatchRequestEntryTypeDef,
        SendMessageBatchRequestEntryTypeDef,
    )

_BATCH = 10  # the limit of SendMessageBatch and ChangeMessageVisibilityBatch

JOBS_PER_MESSAGE = 10
"""How many jobs a message of `send_shared` holds at most."""

MAX_RECEIVES = 5
"""How often a queue hands out a message before it goes to the dead letters (template/queues.yaml, maxReceiveCount)."""

RETRY_AFTER_SECONDS = (5, 20, 60, 120)
"""How long a message waits after its first, second, … failure."""

MAX_HOP_SECONDS = 900
"""The longest delay of a message (Amazon SQS Developer Guide, "delay queues"). See `hop_delay_seconds`."""

type Record = dict[str, Any]
"""A message of a queue in Lambda's event."""

type BatchResponse = dict[str, list[dict[str, str]]]
"""What Lambda reads after a batch: the items that failed, so that only they are repeated (ReportBatchItemFailures)."""


class NotQueued(Exception):
    """A queue refused a message; the message that is being handled is tried again."""


class JobUnfinished(Exception):
    """Raised by the work of a message that must run again and has logged why."""


def run_batch(
    event: dict[str, Any],
    work: Callable[[Record], object],
    *,
    fifo: bool = False,
    has_time: Callable[[], bool] = lambda: True,
) -> BatchResponse:
    """Do the work of each message of a batch; report the messages whose work raised, which return to the queue soon.

    With `fifo`, the later messages of a group wait with the one that failed. When `has_time` is False, no further work
    begins; the first message's always does. A failure's log line has no text of the error: it may quote a customer.

    Powertools' BatchProcessor does the same, but its import costs a worker 100 to 150 ms of CPU, 0.2 of the base of
    benchmarks/function_start.py: it loads pydantic models of every event source.
    """
    failed: list[Record] = []
    blocked: set[str] = set()
    for number, record in enumerate(event["Records"]):
        group = record["attributes"]["MessageGroupId"] if fifo else record["messageId"]
        if group in blocked or (number and not has_time()) or not _is_done(record, work):
            blocked.add(group)
            failed.append(record)
    return report_failed(failed)


def _is_done(record: Record, work: Callable[[Record], object]) -> bool:
    try:
        work(record)
    except JobUnfinished:
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        logger.error("job_failed", extra={"error": error_name(error), "message_id": record["messageId"]})
        return False
    return True


def report_failed(records: Sequence[Record]) -> BatchResponse:
    """Return failed messages of one queue to it after waits that grow with their failures, and report them to Lambda.

    If the first fails, they return after the visibility timeout.
    """
    for start in range(0, len(records), _BATCH):
        entries: list[ChangeMessageVisibilityBatchRequestEntryTypeDef] = [
            {
                "Id": str(number),
                "ReceiptHandle": record["receiptHandle"],
                "VisibilityTimeout": RETRY_AFTER_SECONDS[min(receives(record), len(RETRY_AFTER_SECONDS)) - 1],
            }
            for number, record in enumerate(records[start : start + _BATCH])
        ]
        try:
            url = settings().queue_url_of(records[0]["eventSourceARN"])
            clients.sqs().change_message_visibility_batch(QueueUrl=url, Entries=entries)
        except (ClientError, BotoCoreError) as error:
            logger.warning("retry_delay_not_set", extra={"error": error_name(error)})
    return batch_response(record["messageId"] for record in records)


def batch_response(failed: Iterable[str]) -> BatchResponse:
    """Report the items that failed, by message ID or sequence number."""
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def receives(record: Record) -> int:
    """Return how often a message was received, including this time."""
    return int(record["attributes"]["ApproximateReceiveCount"])


def write_dead_letter(queue_url: str, letter: dict[str, Any]) -> None:
    """Write what was given up to a dead-letter queue."""
    clients.sqs().send_message(QueueUrl=queue_url, MessageBody=json.dumps(letter))


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


def send_later(queue_url: str, jobs: Sequence[tuple[str, str, int]]) -> list[int]:
    """Send jobs, each a message group, a body and when it is due (ms), in hops; return the positions of those refused.

    For queues that keep no order.
    """
    now = clock.now_ms()
    messages: list[SendMessageBatchRequestEntryTypeDef] = [
        {
            "Id": "",
            "MessageBody": body,
            "MessageGroupId": group,
            "DelaySeconds": hop_delay_seconds(due_at, now),
        }
        for group, body, due_at in jobs
    ]
    return send_all(queue_url, messages)


def put_back(queue_url: str, group: str, body: str, due_at: int) -> None:
    """Send a job that came early again, for when it is due (ms). Raises NotQueued."""
    if send_later(queue_url, [(group, body, due_at)]):
        raise NotQueued


def send_shared(queue_url: str, jobs: Sequence[tuple[str, str]]) -> list[int]:
    """Send jobs, each a message group and a line of JSON; return the positions of those that the queue refused.

    Up to `JOBS_PER_MESSAGE` of the same group share a message, each on a line of its own. Only for jobs that may run
    again without harm: if one fails, the whole message returns to the queue.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for position, (group, _) in enumerate(jobs):
        groups[group].append(position)
    messages = [
        (group, positions)
        for group, of_group in groups.items()
        for positions in batched(of_group, JOBS_PER_MESSAGE, strict=False)
    ]
    refused = send_all(
        queue_url,
        [
            {
                "Id": "",
                "MessageBody": "\n".join(jobs[position][1] for position in positions),
                "MessageGroupId": group,
            }
            for group, positions in messages
        ],
    )
    return [position for message in refused for position in messages[message][1]]


def hop_delay_seconds(due_at_ms: int, now_ms: int, longest_seconds: int = MAX_HOP_SECONDS) -> int:
    """Return the DelaySeconds of the next hop towards `due_at_ms`: 0 when it is due, `longest_seconds` at most.

    A message that is due later than SQS can delay it travels in hops: it carries its due time, and a consumer that
    receives it early sends it again with the remaining delay. The result is rounded up, so that the last hop never
    arrives early. A hop takes 1 to 900 seconds whatever `longest_seconds` is: SQS accepts no more, and hops of zero
    seconds would loop.
    """
    remaining_seconds = -(-(due_at_ms - now_ms) // 1000)
    longest = max(1, min(MAX_HOP_SECONDS, longest_seconds))
    return max(0, min(longest, remaining_seconds))
