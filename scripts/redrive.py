"""Redriving dead letters: messages go back to the queue they came from.

Queues are redriven by SQS itself (StartMessageMoveTask); where an emulator does not know that, message by message.
Fan-out's dead letters are positions in a stream, which cannot return to a queue. Their outbox items are found by an
index entry in the table, and fanned out again. Deliveries that the reconciler gave up are named there, too.
"""

import json
import os
import time
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from helpdesk.events.outbox import Event, QueuedJob
from helpdesk.platform import clients, clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.webhooks.delivery import reconciling
from helpdesk.webhooks.delivery.fanout import fan_out_again
from helpdesk.webhooks.delivery.record import Delivery, DeliveryId
from scripts import redrive_facts
from scripts.stack_queues import FACTS, FANOUT

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef, SendMessageRequestTypeDef

_WAIT_SECONDS = 2.0
_STREAM_MS = MINUTE_MS  # younger items may still be in the stream
_RUN_MS = 15 * MINUTE_MS
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
    """Fan out pending outbox items and the items that dead letters name, then delete those dead letters.

    A dead letter that names a delivery, which the reconciler gave up because it could not be read, enqueues it again.

    An item that still cannot be read moves to the dead-letter queue again, and is counted as left.
    """
    dead = os.environ["DEAD_LETTERS_URL"]
    letters = [letter for letters in takewhile(bool, iter(partial(_taken, dead), None)) for letter in letters]
    now = clock.now_ms()
    moved = reconciling.fan_out_pending(now - _STREAM_MS, now + _RUN_MS)
    named = [place for letter in letters if (place := _named_by(letter["Body"])) is not None]
    items = [item for place in named if (item := _outbox_item(*place)) is not None]
    moved += fan_out_again(items)
    given_up = [DeliveryId(**parts) for place in named if (parts := Delivery.parse(*place)) is not None]
    moved += sum(reconciling.enqueue_again(each) for each in given_up)
    for letter in letters:
        clients.sqs().delete_message(QueueUrl=dead, ReceiptHandle=letter["ReceiptHandle"])
    return {"queue": FANOUT, "found": len(letters), "moved": moved, "left": _waiting(dead)}


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


def _named_by(letter: str) -> tuple[str, str] | None:
    """Return the key of the item that a dead letter names; None for one that names a position in the stream."""
    key = json.loads(letter).get("key")
    if not isinstance(key, dict) or not {"PK", "SK"} <= key.keys():
        return None
    # In the stream's wire form, or plain.
    pk, sk = (half["S"] if isinstance(half, dict) else str(half) for half in (key["PK"], key["SK"]))
    return pk, sk


def _outbox_item(pk: str, sk: str) -> table.Item | None:
    for kind in (Event, QueuedJob):
        if kind.parse(pk, sk) is not None:
            return table.get(Key(pk, sk, kind))
    return None
