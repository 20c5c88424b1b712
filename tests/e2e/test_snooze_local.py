"""A snooze ends by the timer queue of the deployed local stack."""

import json
import time
import uuid
from collections.abc import Mapping
from urllib.parse import urlsplit

from helpdesk.conversations.record import Conversation
from helpdesk.storage.wire import to_wire
from scripts.local.deployment import client
from scripts.local.settings import settings_for
from tests.support.states import Desk
from tests.support.web import Web, eventually

AN_HOUR_MS = 3_600_000


def wake_soon(stack: Mapping[str, str], desk: Desk) -> None:
    """Let a snooze end in two seconds, which the API only grants for a minute: write its time, queue its wake."""
    settings = settings_for(urlsplit(stack["endpoint_url"]).port or 0)
    until = int(time.time() * 1_000) + 2_000
    organization = stack["organization_id"]
    client("dynamodb", settings).update_item(
        TableName=stack["table"],
        Key=to_wire(Conversation.key_for(organization, desk.id).attributes()),
        UpdateExpression="SET snoozedUntil = :until",
        ExpressionAttributeValues=to_wire({":until": until}),
    )
    sqs = client("sqs", settings)
    [queue] = [url for url in sqs.list_queues()["QueueUrls"] if url.endswith("-Timer")]
    work = {"kind": "wake", "organization": organization, "conversationId": desk.id, "until": until}
    sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(work), MessageGroupId=organization)


def test_a_snoozed_conversation_wakes_when_its_time_comes(stack: Mapping[str, str]) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    session = f"visitor-{uuid.uuid4()}"
    written = api.post("/v1/messages", {"session": session, "body": "Hello"}).body["conversationId"]
    desk = Desk(api, written, session, lambda: int(time.time() * 1_000) + AN_HOUR_MS)
    assert desk.do("take-over").status == 200
    assert desk.do("snooze").status == 200
    assert desk.state() == "snoozed, team"

    wake_soon(stack, desk)

    eventually(lambda: desk.state() == "open, team")
