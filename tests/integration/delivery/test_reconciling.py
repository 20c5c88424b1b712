"""What is lost between the table and a receiver is found and sent on, once, and nothing else is touched."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobQueue, job_item
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.table import Item
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import reconciling
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.fanout import fan_out_again
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from tests.integration.fanout.test_fan_out import received
from tests.support.api import Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.permissions import running
from tests.support.table import of_kind

MINUTE = 60_000
HOUR = 60 * MINUTE


class Time:
    """The present, which a test moves."""

    now = 1_800_000_000_000


@pytest.fixture
def time() -> Iterator[Time]:
    present = Time()
    with clock.frozen(lambda: present.now * 1_000):
        yield present


def reconcile() -> reconciling.Repairs:
    return running("reconciler", reconciling.reconcile)(clock.now_ms() + MINUTE)


def happened(organization: NewOrganization, *jobs: Job) -> Event:
    """Write an event to the outbox, as a request does. No stream brings it anywhere."""
    event = Event.new(
        organization.organization_id, WebhookEvent.MESSAGE_CREATED, {"text": "hello"}, clock.now_ms(), jobs
    )
    table.put_new(event.to_item())
    return event


def add(api: Client, *events: str) -> str:
    answer = api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": list(events)})
    return str(answer.body["id"])


def tasks(url: str) -> list[tuple[str, int]]:
    return sorted((message["event_id"], message["attempt"]) for message in received(url))


def delivery(event: Event) -> Item:
    (item,) = of_kind(event.id)
    return item


class Receiver:
    """Answers with a status and counts."""

    def __init__(self, status: int) -> None:
        self.status, self.requests = status, 0

    async def send(self, _url: str, _body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        self.requests += 1
        return Outcome(self.status, None if self.status == 200 else Failure.STATUS, 5)


def fan_out(event: Event) -> None:
    """Fan out as the stream does."""
    found = table.get_many([key_of(event)])
    fan_out_again(list(found.values()))


def key_of(event: Event) -> Any:
    return Event.key_for(event.organization, event.id)


def test_an_event_that_the_stream_lost_reaches_the_endpoints_that_existed(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    listening = add(api, "message.created")
    time.now += 1
    event = happened(organization)
    time.now += 1
    add(api, "message.created")  # later than the event
    time.now += 46 * MINUTE
    assert reconcile() == reconciling.Repairs(fanned_out=1, enqueued=0)
    assert tasks(settings().delivery_queue_url) == [(event.id, 1)]
    assert Delivery.from_item(delivery(event)).endpoint_id == listening


def test_repaired_work_is_not_repaired_again(organization: NewOrganization, api: Client, time: Time) -> None:
    add(api, "message.created")
    happened(organization)
    time.now += 46 * MINUTE
    reconcile()
    assert reconcile() == reconciling.Repairs(0, 0)


def test_an_event_that_the_stream_can_still_bring_is_left_to_it(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    happened(organization)
    time.now += 44 * MINUTE
    assert reconcile() == reconciling.Repairs(0, 0)


def test_an_item_that_was_fanned_out_is_not_read_again(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    event = happened(organization)
    fan_out(event)
    time.now += 2 * HOUR
    assert reconcile() == reconciling.Repairs(0, 0)


def test_lost_jobs_reach_their_queues(organization: NewOrganization, time: Time) -> None:
    happened(organization, Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1", "msg_1"))
    others = [queue for queue in JobQueue if queue is not JobQueue.AGENT]
    for queue in others:
        job = Job(queue, {"for": queue.value}, organization.organization_id, "job_1")
        table.put_new(job_item(organization.organization_id, job))
    time.now += HOUR
    assert reconcile().fanned_out == 1 + len(others)
    assert received(settings().agent_queue_url) == [{"messageId": "msg_1"}]
    for queue in others:
        assert received(settings().queue_url(queue.value)) == [{"for": queue.value}]


def test_a_repair_uses_the_present_list_of_events(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    endpoint_id = add(api, "message.created")
    happened(organization)
    api.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]})
    time.now += HOUR
    assert reconcile().fanned_out == 1
    assert received(settings().delivery_queue_url) == []


def test_an_item_that_cannot_be_read_moves_to_the_dead_letters_and_blocks_nothing(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    poison, good = happened(organization), happened(organization)
    table.update(key_of(poison), "REMOVE createdAt")
    time.now += HOUR
    assert reconcile().fanned_out == 1
    assert [event_id for event_id, _ in tasks(settings().delivery_queue_url)] == [good.id]
    (letter,) = received(settings().dead_letters_url)
    assert letter["key"]["PK"] == key_of(poison).pk
    assert reconcile() == reconciling.Repairs(0, 0)


@pytest.fixture
def lost(organization: NewOrganization, api: Client, time: Time) -> Event:
    """An event that was fanned out, and whose task was lost."""
    add(api, "message.created")
    event = happened(organization)
    fan_out(event)
    assert tasks(settings().delivery_queue_url) == [(event.id, 1)]
    return event


def test_a_lost_task_of_the_first_attempt_is_sent_again(lost: Event, time: Time) -> None:
    time.now += 46 * MINUTE
    assert reconcile() == reconciling.Repairs(fanned_out=0, enqueued=1)
    assert tasks(settings().retry_queue_url) == [(lost.id, 1)]


def test_it_is_sent_once_in_45_minutes(lost: Event, time: Time) -> None:
    time.now += 46 * MINUTE
    reconcile()
    received(settings().retry_queue_url)
    time.now += 44 * MINUTE
    assert reconcile().enqueued == 0
    time.now += 2 * MINUTE
    assert reconcile().enqueued == 1


async def attempt(lost: Event, receiver: Receiver, number: int) -> None:
    (endpoint,) = webhooks.listening(lost.organization)
    task = DeliveryTask(lost.organization, endpoint.id, lost.id, endpoint.key_id, number, 0)
    await deliveries.handle(task, receiver)


def run(attempted: Any) -> None:
    asyncio.run(attempted)


def test_a_retry_that_waits_for_two_hours_is_not_overdue(lost: Event, time: Time) -> None:
    receiver = Receiver(500)
    for number in range(1, 5):
        run(attempt(lost, receiver, number))
    assert delivery(lost)["nextAt"] == time.now + 2 * HOUR
    time.now += 2 * HOUR + 44 * MINUTE
    assert reconcile() == reconciling.Repairs(0, 0)
    time.now += 2 * MINUTE
    received(settings().retry_queue_url)
    assert reconcile() == reconciling.Repairs(0, 1)
    assert tasks(settings().retry_queue_url) == [(lost.id, 5)]


def test_a_finished_delivery_is_not_read_again(lost: Event, time: Time) -> None:
    run(attempt(lost, Receiver(200), 1))
    assert "GSI1PK" not in delivery(lost)
    time.now += 2 * HOUR
    with recorded_calls() as calls:
        assert reconcile() == reconciling.Repairs(0, 0)
    assert calls == ["dynamodb:Query"] * 32


def test_a_dropped_delivery_is_over(lost: Event, time: Time) -> None:
    for number in range(1, 6):
        run(attempt(lost, Receiver(500), number))
        time.now += 3 * HOUR
    assert delivery(lost)["state"] == "dropped"
    assert reconcile() == reconciling.Repairs(0, 0)


def test_a_delivery_whose_endpoint_was_removed_is_ended(lost: Event, api: Client, time: Time) -> None:
    api.delete(f"/v1/webhooks/{Delivery.from_item(delivery(lost)).endpoint_id}")
    time.now += HOUR
    assert reconcile().enqueued == 1
    (message,) = received(settings().retry_queue_url)
    receiver = Receiver(200)
    run(deliveries.handle(DeliveryTask(**message), receiver))
    assert (receiver.requests, delivery(lost)["state"]) == (0, "cancelled")
    time.now += HOUR
    assert reconcile() == reconciling.Repairs(0, 0)


def test_an_attempt_under_way_is_left_alone_and_one_that_died_is_recovered(lost: Event, time: Time) -> None:
    time.now += HOUR
    table.update(
        Delivery.from_item(delivery(lost)).key,
        "SET made = :one, recorded = :no, claimedUntil = :until",
        values={":one": 1, ":no": False, ":until": time.now + 40_000},
    )
    assert reconcile().enqueued == 0
    time.now += 41_000
    assert reconcile().enqueued == 1
    assert tasks(settings().retry_queue_url) == [(lost.id, 1)]


def test_a_hundred_overdue_deliveries_cost_little(
    organization: NewOrganization, api: Client, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(api, "message.created")
    monkeypatch.setattr("helpdesk.storage.shards.SHARDS", 1)
    for _ in range(100):
        fan_out(happened(organization))
    time.now += HOUR
    with recorded_calls() as calls:
        assert reconcile().enqueued == 100
    assert {name: calls.count(name) for name in sorted(set(calls))} == {
        "dynamodb:BatchGetItem": 1,
        "dynamodb:Query": 2,
        "dynamodb:UpdateItem": 100,
        "sqs:SendMessageBatch": 10,
    }


def test_a_run_ends_with_its_time_and_the_next_one_continues(lost: Event, time: Time) -> None:
    time.now += HOUR
    assert reconciling.reconcile(time.now) == reconciling.Repairs(0, 0)
    assert function("reconciler").handler({}, Context()) is None
    assert tasks(settings().retry_queue_url) == [(lost.id, 1)]


def test_a_task_that_the_queue_refuses_is_sent_with_the_next_run(
    lost: Event, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    time.now += HOUR

    def refuse(**_: Any) -> dict[str, Any]:
        return {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]}

    with monkeypatch.context() as patch:
        patch.setattr(clients.sqs(), "send_message_batch", refuse)
        assert reconcile().enqueued == 0
    assert reconcile().enqueued == 1


def test_a_repair_logs_its_delivery(lost: Event, time: Time, caplog: pytest.LogCaptureFixture) -> None:
    time.now += HOUR
    reconcile()
    (repair,) = [record for record in caplog.records if record.message == "overdue_delivery_enqueued"]
    assert (vars(repair)["event"], vars(repair)["attempt"]) == (lost.id, 1)


def failing(organization: NewOrganization, api: Client) -> str:
    """Return an endpoint that is failing."""
    endpoint_id = add(api, "message.created")
    (endpoint,) = webhooks.listening(organization.organization_id)
    webhooks.record_result(endpoint, succeeded=False, at=clock.now_ms() + 1)
    return endpoint_id


def test_first_attempts_to_a_failing_endpoint_go_to_the_retry_queue(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    failing(organization, api)
    time.now += 10
    event = happened(organization)
    fan_out(event)
    assert received(settings().delivery_queue_url) == []
    assert tasks(settings().retry_queue_url) == [(event.id, 1)]


@pytest.mark.parametrize("from_first", [True, False])
def test_a_first_attempt_moves_to_the_retry_queue_if_its_endpoint_began_to_fail(
    lost: Event, organization: NewOrganization, time: Time, from_first: bool
) -> None:
    (endpoint,) = webhooks.listening(organization.organization_id)
    webhooks.record_result(endpoint, succeeded=False, at=clock.now_ms() + 1)
    receiver = Receiver(200)
    task = DeliveryTask(lost.organization, endpoint.id, lost.id, endpoint.key_id, 1, time.now)
    run(deliveries.handle(task, receiver, healthy_only=from_first))
    if from_first:
        assert (receiver.requests, delivery(lost)["made"]) == (0, 0)
        assert tasks(settings().retry_queue_url) == [(lost.id, 1)]
    else:
        assert (receiver.requests, delivery(lost)["state"]) == (1, "delivered")
