"""A receiver of Helpdesk's webhooks as a Lambda function URL. Copy this file and write your own `handle`.

`receive` serves the URL: it verifies each delivery, writes the event to a DynamoDB table and returns at once.
`work` reads the table's stream, which has each id once: it handles the event, and Lambda retries what fails.
template.yaml in this folder has both functions, the table and the stream.
"""

import base64
import json
import logging
import os
import time
from typing import Any

import boto3
from botocore.config import Config

from helpdesk_webhooks import SIGNATURE_HEADER, Event, VerificationError, verify, webhook_secret

SECRET = webhook_secret(os.environ["HELPDESK_KEY"])
INBOX_TABLE = os.environ["INBOX_TABLE"]
REMEMBERED_FOR = 30 * 86_400  # seconds; no delivery is repeated after that

log = logging.getLogger()
log.setLevel(logging.INFO)
# Helpdesk waits for 15 seconds; the defaults here would wait for minutes.
patience = Config(connect_timeout=2, read_timeout=2, retries={"total_max_attempts": 3})
dynamodb = boto3.client("dynamodb", config=patience)


def handle(event: Event) -> None:
    """Your own code. What it raises is logged, and the event is retried."""
    if event["type"] == "message.created":
        message = event["data"]["message"]
        log.info("handled %s: %s wrote %r", event["id"], message["sender"], message["body"])
    else:
        log.info("handled %s: nothing to do for %s", event["id"], event["type"])


def receive(request: dict[str, Any], _context: object) -> dict[str, Any]:
    """Receive one delivery. Return 204 when it is stored, and 400, after which Helpdesk retries, when it is invalid."""
    text = request.get("body") or ""
    # As received, and never parsed before: JSON written again has other bytes than those that were signed.
    body = base64.b64decode(text) if request.get("isBase64Encoded") else text
    try:
        event = verify(body, request["headers"].get(SIGNATURE_HEADER), SECRET)
    except VerificationError as problem:
        log.warning("refused: %s", problem)
        return {"statusCode": 400, "headers": {"content-type": "text/plain"}, "body": str(problem)}
    keep(event)  # if this raises, the response is 502 and Helpdesk sends the event again
    return {"statusCode": 204}


def keep(event: Event) -> None:
    """Store the event. An event that is stored already stays as it is: a delivery can come twice."""
    item = {
        "id": {"S": event["id"]},
        "body": {"S": json.dumps(event)},
        "expiresAt": {"N": str(int(time.time()) + REMEMBERED_FOR)},
    }
    try:
        dynamodb.put_item(TableName=INBOX_TABLE, Item=item, ConditionExpression="attribute_not_exists(id)")
    except dynamodb.exceptions.ConditionalCheckFailedException:
        log.info("here already: %s", event["id"])


def work(batch: dict[str, Any], _context: object) -> None:
    """Handle the stored events. If `handle` raises, Lambda logs it and passes the same record again."""
    for record in batch[
        "Records"
    ]:  # one, as template.yaml has it: a failing event does not hold up the others
        if record["eventName"] == "INSERT":
            handle(json.loads(record["dynamodb"]["NewImage"]["body"]["S"]))
