"""A record that nobody can read, in the stream of the deployed local stack, beside organizations whose events are fine.

`make test-all` alone runs it: tests/integration/delivery/test_poison.py tries every unreadable item, without a stream.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from helpdesk.platform import ids
from scripts.local.deployment import client
from scripts.local.emulator import Emulator
from scripts.local.settings import STACK_NAME, StackSettings, settings_for
from tests.support.effort import whole
from tests.support.receiver import Receiver
from tests.support.web import Web, eventually

pytestmark = pytest.mark.skipif(not whole(), reason="make test-all runs it")

ROUNDS = 3
LATEST_SECONDS = 120  # on a busy machine the functions of the emulator wait for each other


@pytest.fixture
def settings(stack: Mapping[str, str], own_stack: StackSettings | None) -> StackSettings:
    return own_stack or settings_for(urlsplit(stack["endpoint_url"]).port or 0)


@pytest.fixture
def tenants(stack: Mapping[str, str]) -> Iterator[list[Web]]:
    """Two healthy organizations, as their keys see them; the demo organization's endpoints are gone after the test."""
    person = Web(stack["base_url"], stack["member_token"])
    made = person.post("/v1/organizations", {"name": "Healthy", "slug": f"healthy-{time.time_ns()}"}).body
    key = person.post("/v1/keys", {"name": "Healthy"}).body["key"]
    assert person.post("/v1/me/organization", {"organizationId": stack["organization_id"]}).status == 200
    assert made["id"] != stack["organization_id"]
    demo = Web(stack["base_url"], stack["secret_key"])
    yield [demo, Web(stack["base_url"], key)]
    for webhook in demo.get("/v1/webhooks").body["webhooks"]:
        demo.delete(f"/v1/webhooks/{webhook['id']}")


def unreadable(organization: str) -> dict[str, Any]:
    """Return an event's item as another version might write it, which this one cannot read."""
    event_id = ids.new("evt")
    key = {"PK": {"S": f"ORG#{organization}#EVENT#{event_id}"}, "SK": {"S": "EVENT"}}
    return {**key, "entity": {"S": "outbox"}, "id": {"S": event_id}, "data": {"M": {}}}


def keys(items: list[dict[str, Any]]) -> set[str]:
    return {item["PK"]["S"] for item in items}


def given_up(settings: StackSettings) -> set[str]:
    """Return the partition keys of the items in the fan-out's dead letters, which it removes."""
    sqs = client("sqs", settings)
    url = sqs.get_queue_url(QueueName=f"{STACK_NAME}-Fanout-dead-letters")["QueueUrl"]
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for letter in found:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=letter["ReceiptHandle"])
    return {json.loads(letter["Body"])["key"]["PK"]["S"] for letter in found}


def counted(settings: StackSettings) -> int:
    """Return how many unreadable records the functions have counted, in the form that CloudWatch reads from a log."""
    lines = Emulator(settings).log.read_text(encoding="utf-8", errors="replace").splitlines()
    return sum('"RecordsUnreadable":' in line and '"CloudWatchMetrics"' in line for line in lines)


def test_healthy_organizations_get_their_events_while_unreadable_records_become_dead_letters(
    stack: Mapping[str, str], settings: StackSettings, tenants: list[Web]
) -> None:
    before, table = counted(settings), client("dynamodb", settings)
    poison = [unreadable(ids.new("org")) for _ in range(ROUNDS)]
    sent: list[list[str]] = [[] for _ in tenants]
    with ExitStack() as receivers:
        receiving = [receivers.enter_context(Receiver()) for _ in tenants]
        for api, receiver in zip(tenants, receiving, strict=True):
            assert (
                api.post("/v1/webhooks", {"url": receiver.url, "events": ["message.created"]}).status == 200
            )
        for item in poison:
            table.put_item(TableName=stack["table"], Item=item)
            for api, messages in zip(tenants, sent, strict=True):
                message = {"session": f"visitor-{time.time_ns()}", "body": "Does this arrive?"}
                messages.append(api.post("/v1/messages", message).body["messageId"])
        for receiver, messages in zip(receiving, sent, strict=True):
            for message_id in messages:
                receiver.message(message_id, LATEST_SECONDS)

    letters: set[str] = set()

    def all_given_up() -> bool | None:
        letters.update(given_up(settings))
        return letters >= keys(poison) or None

    assert eventually(all_given_up, LATEST_SECONDS)
    assert counted(settings) - before == ROUNDS
