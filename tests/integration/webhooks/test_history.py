"""The history of deliveries, test events, and who may read and request what."""

import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.integration.delivery.test_worker import batch
from tests.integration.fanout.test_fan_out import fan_out, received
from tests.integration.webhooks.conftest import URL, Receiver
from tests.support.api import Client, function
from tests.support.aws import recorded_calls, start_keys_held_to_their_bounds
from tests.support.described import require_described_event
from tests.support.table import outbox

DAY_MS = 86_400_000


def happen(organization: NewOrganization, text: str = "hello") -> str:
    """Let an event happen and be fanned out; return its id."""
    event = Event.new(
        organization.organization_id, WebhookEvent.MESSAGE_CREATED, {"text": text}, clock.now_ms()
    )
    table.put_new(event.to_item())
    fan_out(event.to_item())
    return event.id


def work(queue: str = "delivery") -> None:
    """Let the worker handle what is queued for now; messages that are due later stay away."""
    url = settings().delivery_queue_url if queue == "delivery" else settings().retry_queue_url
    bodies = [json.dumps(body) for body in received(url)]
    assert function("delivery").handler(batch(*bodies), None) == {"batchItemFailures": []}


def deliveries(api: Client, endpoint: str, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/v1/webhooks/{endpoint}/deliveries{query}")
    assert answer.status == 200, answer
    found: list[dict[str, Any]] = answer.body["deliveries"]
    return found


def test_a_delivery_is_shown_with_its_attempt(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()
    (shown,) = deliveries(api, endpoint)
    (attempt,) = shown.pop("attempts")
    assert shown.pop("createdAt") <= attempt.pop("at") <= clock.now_ms()
    assert shown == {
        "eventId": event_id,
        "type": "message.created",
        "status": "delivered",
        "nextAttemptAt": None,
    }
    assert attempt == {"attempt": 1, "status": 200, "durationMs": 40, "error": None}


def test_a_delivery_is_in_the_history_from_its_first_attempt_on(
    organization: NewOrganization, api: Client, endpoint: str
) -> None:
    happen(organization)
    assert deliveries(api, endpoint) == []


@pytest.mark.parametrize(
    ("outcome", "status", "error"),
    [
        (Outcome(503, Failure.STATUS, 12), 503, "status"),
        (Outcome(302, Failure.REDIRECT, 12), 302, "redirect"),
        (Outcome(None, Failure.TIMEOUT, 15_000), None, "timeout"),
        (Outcome(None, Failure.REFUSED_ADDRESS, 1), None, "refused_address"),
        (Outcome(None, Failure.TLS_FAILED, 30), None, "tls_failed"),
        (Outcome(None, Failure.CONNECTION_FAILED, 3), None, "connection_failed"),
    ],
)
def test_a_failed_attempt_shows_why_and_when_the_next_one_is_due(
    organization: NewOrganization,
    api: Client,
    endpoint: str,
    receiver: Receiver,
    outcome: Outcome,
    status: int | None,
    error: str,
) -> None:
    receiver.outcomes = [outcome]
    happen(organization)
    before = clock.now_ms()
    work()
    after = clock.now_ms()
    (shown,) = deliveries(api, endpoint)
    (attempt,) = shown["attempts"]
    assert (attempt["status"], attempt["error"]) == (status, error)
    assert shown["status"] == "pending"
    assert before + 30_000 <= shown["nextAttemptAt"] <= after + 30_000


def test_deliveries_come_newest_event_first_in_pages(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    happened = [happen(organization) for _ in range(5)]
    work()
    first = api.get(f"/v1/webhooks/{endpoint}/deliveries?limit=2").body
    second = api.get(f"/v1/webhooks/{endpoint}/deliveries?limit=2&cursor={first['nextCursor']}").body
    third = api.get(f"/v1/webhooks/{endpoint}/deliveries?limit=2&cursor={second['nextCursor']}").body
    listed = [shown["eventId"] for page in (first, second, third) for shown in page["deliveries"]]
    assert listed == happened[::-1]
    assert third["nextCursor"] is None


def test_a_cursor_of_another_endpoint_is_refused(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    other = api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]}).body["id"]
    for _ in range(2):
        happen(organization)
    work()
    cursor = api.get(f"/v1/webhooks/{other}/deliveries?limit=1").body["nextCursor"]
    answer = api.get(f"/v1/webhooks/{endpoint}/deliveries?cursor={cursor}")
    assert (answer.status, answer.code) == (400, "invalid_cursor")


def test_deliveries_over_thirty_days_old_are_not_shown_although_they_still_exist(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()
    month_later = (clock.now_ms() + 30 * DAY_MS + 60_000) * 1000
    with clock.frozen(lambda: month_later):
        assert deliveries(api, endpoint) == []
        answer = api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver")
    assert (answer.status, answer.code) == (404, "delivery_not_found")


@pytest.mark.parametrize("later_ms", [30 * DAY_MS, 30 * DAY_MS + 60_000])
def test_a_cursor_after_which_everything_expired_leads_to_the_end(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver, later_ms: int
) -> None:
    for _ in range(3):
        happen(organization)
    work()
    page = api.get(f"/v1/webhooks/{endpoint}/deliveries?limit=2").body
    shown_last_ms = int(page["deliveries"][-1]["eventId"][4:16], 16)
    with clock.frozen(lambda: (shown_last_ms + later_ms) * 1000), start_keys_held_to_their_bounds():
        answer = api.get(f"/v1/webhooks/{endpoint}/deliveries?cursor={page['nextCursor']}")
    assert answer.body == {"deliveries": [], "nextCursor": None}


def test_the_history_of_a_removed_endpoint_cannot_be_read(
    organization: NewOrganization, api: Client, endpoint: str
) -> None:
    event_id = happen(organization)
    api.delete(f"/v1/webhooks/{endpoint}")
    assert api.get(f"/v1/webhooks/{endpoint}/deliveries").code == "endpoint_not_found"
    answer = api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver")
    assert (answer.status, answer.code) == (404, "endpoint_not_found")


@pytest.mark.parametrize("event_id", ["evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081", "nothing", "x" * 500])
def test_an_event_that_was_not_sent_to_the_endpoint_is_not_found(
    api: Client, endpoint: str, event_id: str
) -> None:
    answer = api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver")
    assert answer.status == 404
    assert answer.code in {"delivery_not_found", "endpoint_not_found"}


def test_an_event_of_another_endpoint_is_not_found(
    organization: NewOrganization, api: Client, endpoint: str
) -> None:
    event_id = happen(organization)
    other = api.post("/v1/webhooks", {"url": URL, "events": ["bug.created"]}).body["id"]
    answer = api.post(f"/v1/webhooks/{other}/deliveries/{event_id}/redeliver")
    assert (answer.status, answer.code) == (404, "delivery_not_found")


def test_a_test_event_goes_to_that_endpoint_alone_whatever_it_listens_to(
    api: Client, endpoint: str, receiver: Receiver
) -> None:
    api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]})
    answer = api.post(f"/v1/webhooks/{endpoint}/test")
    assert answer.status == 200
    (item,) = [item for item in outbox() if item["type"] == "webhook.test"]
    fan_out(item)
    work()
    ((body, headers),) = receiver.sent
    event = json.loads(body)
    require_described_event(event)
    assert (event["id"], event["type"]) == (answer.body["id"], "webhook.test")
    assert event["data"] == {
        "endpointId": endpoint,
        "test": True,
        "conversation": {
            "id": "conv_00000000000000000000000000",
            "status": "open",
            "awaitingHuman": False,
        },
        "message": {
            "id": "msg_00000000000000000000000000",
            "conversationId": "conv_00000000000000000000000000",
            "createdAt": event["createdAt"],
            "sender": "visitor",
            "agent": None,
            "body": "This is a test. Your endpoint receives what Helpdesk sends.",
            "attachments": [],
        },
    }
    assert "svc-signature" in headers
    (shown,) = deliveries(api, endpoint)
    assert (shown["eventId"], shown["type"], shown["status"]) == (event["id"], "webhook.test", "delivered")


def test_the_data_of_a_test_event_can_be_read_as_that_of_a_message(
    api: Client, endpoint: str, receiver: Receiver
) -> None:
    api.post(f"/v1/webhooks/{endpoint}/test")
    fan_out(*[item for item in outbox() if item["type"] == "webhook.test"])
    work()
    ((body, _),) = receiver.sent
    event = json.loads(body)
    data = {name: event["data"][name] for name in ("conversation", "message")}
    require_described_event({**event, "type": "message.created", "data": data})


def test_no_endpoint_can_listen_to_test_events(api: Client) -> None:
    answer = api.post("/v1/webhooks", {"url": URL, "events": ["webhook.test"]})
    assert (answer.status, answer.code) == (400, "invalid_request")


ROUTES = [
    ("GET", "deliveries"),
    ("POST", "deliveries/evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081/redeliver"),
    ("POST", "test"),
    ("POST", "secret"),
    ("DELETE", "secret"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("unknown", ["nothing", "a%23b", "COUNT"])
def test_an_unknown_endpoint_returns_not_found(api: Client, method: str, path: str, unknown: str) -> None:
    answer = api.request(method, f"/v1/webhooks/{unknown}/{path}")
    assert (answer.status, answer.code) == (404, "endpoint_not_found")


def test_an_admin_can_do_all_of_this(
    organization: NewOrganization, endpoint: str, admin: Client, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()
    assert admin.get(f"/v1/webhooks/{endpoint}/deliveries").status == 200
    assert admin.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver").status == 200
    assert admin.post(f"/v1/webhooks/{endpoint}/test").status == 200
    assert admin.post(f"/v1/webhooks/{endpoint}/secret").status == 200
    assert admin.delete(f"/v1/webhooks/{endpoint}/secret").status == 200
    assert admin.get("/v1/events").status == 200


def test_each_route_costs_as_many_calls_as_documented(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = [happen(organization) for _ in range(20)][-1]
    work()
    costs = {}
    for name, method, path in (
        ("list", "GET", "deliveries"),
        ("redeliver", "POST", f"deliveries/{event_id}/redeliver"),
        ("test", "POST", "test"),
        ("secret", "POST", "secret"),
        ("no secret", "DELETE", "secret"),
    ):
        with recorded_calls() as calls:
            assert api.request(method, f"/v1/webhooks/{endpoint}/{path}").status == 200
        costs[name] = [call.removeprefix("dynamodb:") for call in calls]
    assert costs == {
        "list": ["UpdateItem", "GetItem", "Query"],
        "redeliver": ["UpdateItem", "BatchGetItem", "TransactWriteItems"],
        "test": ["UpdateItem", "TransactWriteItems"],
        "secret": ["UpdateItem", "GetItem", "TransactWriteItems"],
        "no secret": ["UpdateItem", "GetItem", "TransactWriteItems"],
    }


def test_an_attempt_costs_four_calls_with_its_record_in_the_history(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    api.post(f"/v1/webhooks/{endpoint}/secret")
    happen(organization)
    bodies = [json.dumps(body) for body in received(settings().delivery_queue_url)]
    with recorded_calls() as calls:
        function("delivery").handler(batch(*bodies), None)
    assert calls == ["dynamodb:BatchGetItem", "dynamodb:PutItem", *["dynamodb:UpdateItem"] * 2]


def test_a_test_is_sent_though_the_clock_that_made_the_endpoint_is_ahead(
    api: Client, receiver: Receiver
) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now + 100_000):
        endpoint = api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]}).body["id"]
    with clock.frozen(lambda: now):
        assert api.post(f"/v1/webhooks/{endpoint}/test").status == 200
        (item,) = [item for item in outbox() if item["type"] == "webhook.test"]
        fan_out(item)
        work()

    assert len(receiver.sent) == 1
