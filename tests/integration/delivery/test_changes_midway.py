"""The effect of a change of an endpoint or its key on deliveries under way (Specification: Webhooks; Events, Delivery
and retries). The fan-out's and the worker's real handlers, with queues and a receiver of the test's.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk_webhooks import SignatureMismatch, verify, webhook_secret
from tests.integration.delivery.happening import HOUR, MINUTE, Time, add, happened
from tests.integration.delivery.test_late_results import remove_expired
from tests.integration.delivery.test_worker import batch
from tests.integration.fanout import test_fan_out as streams
from tests.support.api import Client, function
from tests.support.people import issue_token
from tests.support.table import of_kind

SECOND = 1_000
OLD, NEW = "https://93.184.215.14/old", "https://93.184.215.14/new"


@dataclass
class World:
    """Queues, clock and receiver. `meanwhile` is what happens between two attempts, after the one of a number."""

    time: Time = field(default_factory=Time)
    statuses: Mapping[int, int] = field(default_factory=dict)
    meanwhile: dict[int, Callable[[], object]] = field(default_factory=dict)
    sent: list[tuple[str, bytes, Mapping[str, str]]] = field(default_factory=list)
    waiting: list[tuple[int, str]] = field(default_factory=list)

    def send_message(self, *, MessageBody: str, DelaySeconds: int, **_: Any) -> None:
        self.waiting.append((self.time.now + DelaySeconds * SECOND, MessageBody))

    def send_message_batch(self, *, Entries: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        for entry in Entries:
            self.send_message(MessageBody=entry["MessageBody"], DelaySeconds=0)
        return {"Failed": []}

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], _endpoint: str) -> Outcome:
        self.sent.append((url, body, headers))
        self.time.now += SECOND
        status = self.statuses.get(len(self.sent), 500)
        return Outcome(status, None if status < 300 else Failure.STATUS, SECOND)

    def run(self) -> None:
        """Let the workers handle what is queued, in its time, until nothing is."""
        made = 0
        while self.waiting:
            self.waiting.sort()
            due, body = self.waiting.pop(0)
            self.time.now = max(self.time.now, due)
            assert function("delivery").handler(batch(body), None) == {"batchItemFailures": []}
            for number in range(made + 1, len(self.sent) + 1):
                self.meanwhile.get(number, lambda: None)()
            made = len(self.sent)

    def urls(self) -> list[str]:
        return [url for url, _, _ in self.sent]

    def event_ids(self) -> list[str]:
        """Return the events that arrived, by id."""
        return [json.loads(body)["id"] for _, body, _ in self.sent]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World()

    async def send(
        _self: Sender, url: str, body: bytes, headers: Mapping[str, str], endpoint: str
    ) -> Outcome:
        return await made.send(url, body, headers, endpoint)

    monkeypatch.setattr(Sender, "send", send)
    monkeypatch.setattr(clients.sqs(), "send_message", made.send_message)
    monkeypatch.setattr(clients.sqs(), "send_message_batch", made.send_message_batch)
    with clock.frozen(lambda: made.time.now * 1_000):
        yield made


@pytest.fixture
def endpoint(api: Client, world: World) -> str:
    return str(api.post("/v1/webhooks", {"url": OLD, "events": ["message.created"]}).body["id"])


def happen(organization: NewOrganization) -> str:
    """Let a message be written and its event be fanned out; return the event's id."""
    event = happened(organization)
    assert streams.fan_out(event.to_item()) == {"batchItemFailures": []}
    return event.id


def shown(api: Client, endpoint: str) -> list[tuple[str, str, int]]:
    """Return the deliveries as they are listed, newest event first: event, status, number of attempts."""
    listed = api.get(f"/v1/webhooks/{endpoint}/deliveries").body["deliveries"]
    return [(each["eventId"], each["status"], len(each["attempts"])) for each in listed]


def test_an_event_from_before_the_list_changed_is_tried_up_to_five_times(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    later: list[str] = []

    def changed() -> None:
        assert api.patch(f"/v1/webhooks/{endpoint}", {"events": ["bug.created"]}).status == 200
        later.append(happen(organization))

    world.meanwhile[1] = changed
    event_id = happen(organization)
    world.run()
    assert world.event_ids() == [event_id] * 5
    assert len({body for _, body, _ in world.sent}) == 1
    assert shown(api, endpoint) == [(event_id, "failed", 5)]
    assert of_kind(later[0]) == []


def test_a_kind_that_joins_the_list_brings_no_earlier_event(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    world.statuses = dict.fromkeys(range(1, 9), 200)
    other = add(api, "bug.created")
    happen(organization)
    world.time.now += SECOND
    assert api.patch(f"/v1/webhooks/{other}", {"events": ["bug.created", "message.created"]}).status == 200
    after = happen(organization)
    world.run()
    assert shown(api, other) == [(after, "delivered", 1)]
    assert len(shown(api, endpoint)) == 2


def test_a_first_attempt_and_a_retry_that_wait_go_to_a_new_address(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    failed = happen(organization)
    unbegun: list[str] = []

    def moved() -> None:
        unbegun.append(happen(organization))
        assert api.patch(f"/v1/webhooks/{endpoint}", {"url": NEW}).status == 200

    world.meanwhile[1] = moved
    world.statuses = {2: 200, 3: 200}
    world.run()
    assert list(zip(world.urls(), world.event_ids(), strict=True)) == [
        (OLD, failed),
        (NEW, unbegun[0]),
        (NEW, failed),
    ]
    assert [status for _, status, _ in shown(api, endpoint)] == ["delivered", "delivered"]


def test_an_address_that_is_changed_again_and_again_holds_for_the_next_attempt_alone(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    addresses = [f"https://93.184.215.14/{number}" for number in range(2, 6)]
    for number, url in enumerate(addresses, 1):
        world.meanwhile[number] = partial(api.patch, f"/v1/webhooks/{endpoint}", {"url": url})
    happen(organization)
    world.run()
    assert world.urls() == [OLD, *addresses]
    assert len({body for _, body, _ in world.sent}) == 1


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_removing_an_endpoint_cancels_every_retry_that_is_queued(
    organization: NewOrganization, api: Client, endpoint: str, world: World, after: int
) -> None:
    world.meanwhile[after] = lambda: api.delete(f"/v1/webhooks/{endpoint}")
    event_id = happen(organization)
    world.run()
    assert len(world.sent) == after
    (delivery,) = of_kind(event_id)
    assert (delivery["state"], delivery["made"], len(delivery["attempts"])) == ("cancelled", after, after)


def test_an_endpoint_that_is_added_again_gets_nothing_of_the_removed_one(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    again: list[str] = []

    def replaced() -> None:
        api.delete(f"/v1/webhooks/{endpoint}")
        world.time.now += SECOND
        again.append(api.post("/v1/webhooks", {"url": OLD, "events": ["message.created"]}).body["id"])

    world.meanwhile[1] = replaced
    happen(organization)
    world.run()
    assert len(world.sent) == 1
    assert shown(api, again[0]) == []
    (listed,) = api.get("/v1/webhooks").body["webhooks"]
    assert (listed["status"], listed["lastDeliveryAt"], listed["failingSince"]) == ("none", None, None)


def test_of_two_endpoints_the_removal_of_one_leaves_the_others_retries(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    other = str(api.post("/v1/webhooks", {"url": NEW, "events": ["message.created"]}).body["id"])
    world.meanwhile[2] = lambda: api.delete(f"/v1/webhooks/{endpoint}")
    event_id = happen(organization)
    world.run()
    assert (world.urls().count(OLD), world.urls().count(NEW)) == (1, 5)
    assert shown(api, other) == [(event_id, "failed", 5)]


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_revoking_the_key_holds_from_the_next_attempt_and_ends_no_delivery(
    organization: NewOrganization, api: Client, world: World, after: int
) -> None:
    def admin() -> Client:  # a token lasts for an hour
        return Client(issue_token(organization.organization_id, role="admin", name="Ada"))

    key = admin().post("/v1/keys", {"name": "Shop server"}).body
    endpoint = Client(key["key"]).post("/v1/webhooks", {"url": OLD, "events": ["message.created"]}).body["id"]
    world.meanwhile[after] = lambda: admin().delete(f"/v1/keys/{key['id']}")
    event_id = happen(organization)
    world.run()
    secret = webhook_secret(key["key"])
    assert [verifies(secret, body, headers) for _, body, headers in world.sent] == [
        number <= after for number in range(1, 6)
    ]
    assert len({body for _, body, _ in world.sent}) == 1
    assert shown(api, endpoint) == [(event_id, "failed", 5)]


def verifies(secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    try:
        verify(body, headers["svc-signature"], secret, tolerance=None)
    except SignatureMismatch:
        return False
    return True


def test_over_five_attempts_only_the_signature_differs(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    happen(organization)
    world.run()
    assert len(world.sent) == 5
    assert len({(url, body) for url, body, _ in world.sent}) == 1
    signatures = [headers["svc-signature"] for _, _, headers in world.sent]
    assert len(set(signatures)) == 5
    assert [headers["portal-signature"] for _, _, headers in world.sent] == signatures
    rest = [
        {name: value for name, value in headers.items() if not name.endswith("-signature")}
        for _, _, headers in world.sent
    ]
    assert rest == [{"content-type": "application/json"}] * 5
    times = [int(signature.removeprefix("t=").partition(",")[0]) for signature in signatures]
    start = times[0]
    assert [at - start for at in times] == [
        0,
        31 * SECOND,
        5 * MINUTE + 32 * SECOND,
        35 * MINUTE + 33 * SECOND,
        2 * HOUR + 35 * MINUTE + 34 * SECOND,
    ]


def test_an_event_is_sent_unchanged_although_its_subject_changed_since(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    """The body is that of the moment; a retry two hours later contains no later state."""
    posted = api.post("/v1/messages", {"session": "session-1", "body": "Where is my invoice?"})
    (event,) = [item for item in of_kind("EVENT") if item["type"] == "message.created"]
    streams.fan_out(event)
    world.waiting = [message for message in world.waiting if endpoint in message[1]]
    path = f"/v1/conversations/{posted.body['conversationId']}"
    world.meanwhile[1] = lambda: api.post(f"{path}/take-over")
    world.meanwhile[2] = lambda: api.post(f"{path}/resolve")
    world.run()
    assert {body for _, body, _ in world.sent} == {Event.from_item(event).body.encode()}
    assert {json.loads(body)["data"]["conversation"]["status"] for _, body, _ in world.sent} == {"open"}


def test_an_expired_event_is_not_sent_and_its_delivery_is_over(
    organization: NewOrganization, api: Client, endpoint: str, world: World
) -> None:
    assert settings().retry_delays_seconds == "30,300,1800,7200"

    def month_later() -> None:
        world.time.now += 30 * 24 * HOUR
        remove_expired(world.time.now)

    world.meanwhile[1] = month_later
    event_id = happen(organization)
    world.run()
    assert len(world.sent) == 1
    assert of_kind(event_id) == []
