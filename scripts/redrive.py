"""Redriving dead letters: messages go back to the queue they came from.

Queues are redriven by SQS itself (StartMessageMoveTask); where an emulator does not know that, message by message.
Fan-out's dead letters cannot return to a queue. Those that name an item have it fanned out again. Those that name a
position in the stream say from when to when its changes are, and that time is replayed (`scripts.replay`).
"""

import json
import os
import time
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from helpdesk.events.outbox import Event, HookDelivery, QueuedJob
from helpdesk.platform import clients
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.webhooks.delivery.fanout import fan_out_again
from scripts import redrive_facts
from scripts.replay import replay
from scripts.stack_queues import FACTS, FANOUT

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef, SendMessageRequestTypeDef

_WAIT_SECONDS = 2.0
_CLOCKS_MS = MINUTE_MS  # by how much the stream's clock and the functions' may differ
_UNKNOWN = {
    "InvalidAction",
    "UnknownOperationException",
    "UnsupportedOperation",
    "AWS.SimpleQueueService.UnsupportedOperation",
}


def redrive(queue: str) -> dict[str, int | str]:
    """Move a queue's dead letters back; return how many there were, were moved and are left."""
    if queue == FANOUT:
        return _fan_out_again()
    if queue == FACTS:
        return _write_facts_again()
    source = os.environ[f"{queue.upper()}_QUEUE_URL"]
    attributes = clients.sqs().get_queue_attributes(QueueUrl=source, AttributeNames=["RedrivePolicy"])
    arn = json.loads(attributes["Attributes"]["RedrivePolicy"])["deadLetterTargetArn"]
    dead = clients.sqs().get_queue_url(QueueName=arn.rpartition(":")[2])["QueueUrl"]
    found = _waiting(dead)
    try:
        handle = clients.sqs().start_message_move_task(SourceArn=arn)["TaskHandle"]
    except ClientError as error:
        if error.response["Error"]["Code"] not in _UNKNOWN:
            raise
        moved = _move(dead, source)
    else:
        moved = _watch(arn, handle)
    return {"queue": queue, "found": found, "moved": moved, "left": _waiting(dead)}


def _waiting(url: str) -> int:
    answer = clients.sqs().get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def _watch(arn: str, handle: str) -> int:
    """Wait until SQS has moved everything; return how much that was."""
    while True:
        tasks = clients.sqs().list_message_move_tasks(SourceArn=arn, MaxResults=10)["Results"]
        # A finished task has no handle, and the newest comes first.
        task = next((each for each in tasks if each.get("TaskHandle") == handle), tasks[0])
        if task.get("Status") != "RUNNING":
            if task.get("FailureReason"):
                raise RuntimeError(task["FailureReason"])
            return int(task.get("ApproximateNumberOfMessagesMoved", 0))
        time.sleep(_WAIT_SECONDS)


def _taken(url: str) -> "list[MessageTypeDef]":
    answer = clients.sqs().receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        VisibilityTimeout=300,
        MessageSystemAttributeNames=["MessageGroupId", "MessageDeduplicationId"],
    )
    return answer.get("Messages", [])


def _move(dead: str, source: str) -> int:
    """Send each message to its queue, then delete it. Sending one twice is harmless."""
    moved = 0
    for messages in takewhile(bool, iter(partial(_taken, dead), None)):
        for message in messages:
            system = message.get("Attributes", {})
            request: SendMessageRequestTypeDef = {"QueueUrl": source, "MessageBody": message["Body"]}
            if "MessageGroupId" in system:
                request["MessageGroupId"] = system["MessageGroupId"]
            if source.endswith(".fifo"):
                # Its own ID, because the queue may still deduplicate the one that it was sent with.
                request["MessageDeduplicationId"] = message["MessageId"]
            clients.sqs().send_message(**request)
            clients.sqs().delete_message(QueueUrl=dead, ReceiptHandle=message["ReceiptHandle"])
            moved += 1
    return moved


def _fan_out_again() -> dict[str, int | str]:
    """Fan out what dead letters name, then delete those dead letters.

    An item that still cannot be read moves to the dead-letter queue again, and is counted as left.
    """
    dead = os.environ["DEAD_LETTERS_URL"]
    letters = [letter for letters in takewhile(bool, iter(partial(_taken, dead), None)) for letter in letters]
    bodies = [json.loads(letter["Body"]) for letter in letters]
    named = [place for body in bodies if (place := _named_by(body)) is not None]
    moved = fan_out_again([item for place in named if (item := _outbox_item(*place)) is not None])
    times = [time for body in bodies if "DDBStreamBatchInfo" in body for time in _times_of(body)]
    if times:
        moved += replay(min(times) - _CLOCKS_MS, max(times) + _CLOCKS_MS)["fannedOut"]
    for letter in letters:
        clients.sqs().delete_message(QueueUrl=dead, ReceiptHandle=letter["ReceiptHandle"])
    return {"queue": FANOUT, "found": len(letters), "moved": moved, "left": _waiting(dead)}


def _times_of(letter: dict[str, Any]) -> list[int]:
    """Return when the first and the last change of a batch arrived in the stream, in ms."""
    batch = letter["DDBStreamBatchInfo"]
    return [
        int(datetime.fromisoformat(batch[f"approximateArrivalOf{which}Record"]).timestamp() * 1_000)
        for which in ("First", "Last")
    ]


def _write_facts_again() -> dict[str, int | str]:
    """Write the rows of what dead letters name, then delete those letters. One that fails stays."""
    dead = os.environ["FACTS_DEAD_LETTERS_URL"]
    letters = [letter for letters in takewhile(bool, iter(partial(_taken, dead), None)) for letter in letters]
    moved = too_old = 0
    for letter in letters:
        try:
            done = redrive_facts.write_again(letter["Body"])
        except redrive_facts.TooOld:
            too_old += 1
        else:
            if not done:
                continue
            moved += 1
        clients.sqs().delete_message(QueueUrl=dead, ReceiptHandle=letter["ReceiptHandle"])
    left = len(letters) - moved - too_old
    return {"queue": FACTS, "found": len(letters), "moved": moved, "tooOld": too_old, "left": left}


def _named_by(letter: dict[str, Any]) -> tuple[str, str] | None:
    """Return the key of the item that a dead letter names; None for one that names a position in the stream."""
    key = letter.get("key")
    if not isinstance(key, dict) or not {"PK", "SK"} <= key.keys():
        return None
    # In the stream's wire form, or plain.
    pk, sk = (half["S"] if isinstance(half, dict) else str(half) for half in (key["PK"], key["SK"]))
    return pk, sk


def _outbox_item(pk: str, sk: str) -> table.Item | None:
    for kind in (Event, QueuedJob, HookDelivery):
        if kind.parse(pk, sk) is not None:
            return table.get(Key(pk, sk, kind))
    return None
