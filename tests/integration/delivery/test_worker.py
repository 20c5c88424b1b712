"""The delivery function on a batch: what fails, fails alone, and comes back soon."""

import asyncio
import copy
import json
from copy import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients
from helpdesk.storage import table
from helpdesk.storage.table import Throttled
from helpdesk.webhooks import repository as endpoints
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import repository
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from tests.support.api import Client, function
from tests.support.deliveries import attempted
from tests.support.template import ROOT

LATER = 4_000_000_000_000


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What reached the receiver, which answers 200 to everything."""
    bodies: list[bytes] = []

    async def send(_self: Sender, _url: str, body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        bodies.append(body)
        return Outcome(200, None, 5)

    monkeypatch.setattr(Sender, "send", send)
    return bodies


def task(organization: NewOrganization, api: Client) -> DeliveryTask:
    api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": ["message.created"]})
    event = Event.new(organization.organization_id, WebhookEvent.MESSAGE_CREATED, {}, LATER)
    table.put_new(event.to_item())
    endpoint = webhooks.listening(organization.organization_id)[-1]
    return replace(DeliveryTask.first(event, endpoint), due_at=0)


def batch(*bodies: str, queue: str = "retry") -> dict[str, Any]:
    sample = json.loads((ROOT / "events" / "delivery-queue.json").read_text())["Records"][0]
    records = []
    for number, body in enumerate(bodies):
        record = copy.deepcopy(sample) | {"eventSourceARN": f"arn:aws:sqs:eu-west-1:123456789012:{queue}"}
        records.append(record | {"messageId": str(number), "body": body})
    return {"Records": records}


def handle_beside(event: dict[str, Any]) -> Any:
    """Handle a batch as a worker beside those under way does: in a process, so in a module, of its own."""
    worker = function.__wrapped__("delivery")
    try:
        return worker.handler(event, None)
    finally:
        worker._runner.close()


def state(of: DeliveryTask) -> str:
    item = table.get(Delivery.key_for(of.organization, of.endpoint_id, of.event_id))
    assert item is not None
    return str(item["state"])


@pytest.mark.parametrize("queue", ["delivery", "retry"])
def test_a_message_that_cannot_be_read_fails_alone(
    organization: NewOrganization, api: Client, sent: list[bytes], queue: str
) -> None:
    good = task(organization, api)
    answer = function("delivery").handler(batch("{}", good.to_json(), "not json", queue=queue), None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "2"}]}
    assert len(sent) == 1
    assert state(good) == "delivered"


def test_batches_share_the_sender_and_the_event_loop_to_which_its_connections_belong(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared: set[object] = set()

    async def send(self: Sender, _url: str, _body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        shared.update((self, asyncio.get_running_loop()))
        return Outcome(200, None, 5)

    monkeypatch.setattr(Sender, "send", send)
    for _ in range(2):
        body = task(organization, api).to_json()
        assert function("delivery").handler(batch(body), None) == {"batchItemFailures": []}

    assert len(shared) == 2


def test_unknown_fields_of_a_message_are_ignored(
    organization: NewOrganization, api: Client, sent: list[bytes]
) -> None:
    good = task(organization, api)
    body = json.dumps({**json.loads(good.to_json()), "colour": "blue"})
    assert function("delivery").handler(batch(body), None) == {"batchItemFailures": []}
    assert len(sent) == 1


@pytest.mark.parametrize(
    "trouble",
    [Throttled(), ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")],
    ids=["throttled", "unavailable"],
)
def test_an_event_that_arrived_is_not_sent_again_if_the_status_cannot_be_updated(
    organization: NewOrganization,
    api: Client,
    sent: list[bytes],
    monkeypatch: pytest.MonkeyPatch,
    trouble: Exception,
) -> None:
    good = task(organization, api)

    def touch(*_: Any, **__: Any) -> None:
        raise trouble

    monkeypatch.setattr(endpoints, "record_result", touch)
    event = batch(good.to_json())
    assert function("delivery").handler(event, None) == {"batchItemFailures": []}
    assert function("delivery").handler(event, None) == {"batchItemFailures": []}
    assert len(sent) == 1
    assert state(good) == "delivered"


def test_a_message_that_failed_because_of_throttling_comes_back_within_seconds(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = task(organization, api)
    asked: list[dict[str, Any]] = []

    def load(*_: Any) -> None:
        raise Throttled

    monkeypatch.setattr(repository, "load", load)
    monkeypatch.setattr(clients.sqs(), "change_message_visibility_batch", lambda **how: asked.append(how))
    event = batch(good.to_json())
    event["Records"][0]["eventSourceARN"] = "arn:aws:sqs:eu-west-1:123456789012:delivery"
    assert function("delivery").handler(event, None) == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert [entry["VisibilityTimeout"] for how in asked for entry in how["Entries"]] == [5]


def test_a_task_of_a_run_that_a_redelivery_replaced_sends_nothing(
    organization: NewOrganization, api: Client, sent: list[bytes]
) -> None:
    old = task(organization, api)
    event = Event.from_item(table.get_many([Event.key_for(old.organization, old.event_id)]).popitem()[1])
    attempted(event, old, status=500)
    table.update(old.delivery.key, "SET run = :two, made = :zero", values={":two": 2, ":zero": 0})
    assert function("delivery").handler(batch(old.to_json()), None) == {"batchItemFailures": []}
    assert sent == []
    assert state(old) == "pending"
