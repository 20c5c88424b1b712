"""What the stream or a queue lost is replayed from the table: once, and nothing else is touched."""

import asyncio
from typing import Any, ClassVar

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.outbox import Job, JobQueue, hook_item, job_item
from helpdesk.outbound.outcome import Outcome
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.queue import DeliveryTask
from scripts import admin
from scripts.replay import replay
from tests.integration.delivery.happening import (
    HOUR,
    MINUTE,
    Receiver,
    Time,
    add,
    delivery,
    fan_out,
    happened,
    tasks,
    time,
)
from tests.integration.fanout.test_fan_out import received
from tests.support.api import Client
from tests.support.deliveries import attempted, first_tasks

__all__ = ["time"]  # the fixture

DAY = 24 * HOUR


def replayed() -> dict[str, int]:
    return replay(clock.now_ms() - 2 * DAY, clock.now_ms())


def test_an_event_that_the_stream_lost_reaches_the_endpoints_that_existed(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    listening = add(api, "message.created")
    time.now += 1
    event = happened(organization)
    time.now += 1
    add(api, "message.created")  # later than the event
    time.now += 26 * HOUR
    assert replayed() == {"fannedOut": 1, "queued": 0}
    [task] = received(settings().delivery_queue_url)
    assert (task["event_id"], task["endpoint_id"], task["attempt"]) == (event.id, listening, 1)


def test_a_fan_out_that_was_off_for_26_hours_is_made_up_for_once_with_the_same_bodies(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    class Recording(Receiver):
        bodies: ClassVar[list[str]] = []

        async def send(self, _url: str, body: bytes, _headers: Any, _endpoint: str) -> Outcome:
            self.bodies.append(body.decode())
            return Outcome(200, None, 5)

    def deliver() -> None:
        found = [DeliveryTask(**message) for message in received(settings().delivery_queue_url)]
        assert set(asyncio.run(deliveries.handle(found, receiver))) <= {None}

    receiver = Recording(200)
    add(api, "message.created")
    time.now += 1
    events = []
    for number in range(26):
        events.append(happened(organization))
        if (
            number % 5 == 0
        ):  # what the stream brought before it was switched off, or while it was on for a moment
            fan_out(events[-1])
            deliver()
        time.now += HOUR
    for _ in range(2):
        assert replayed()["fannedOut"] == 26
        deliver()
    assert sorted(receiver.bodies) == sorted(event.body for event in events)


def test_only_what_happened_in_the_time_is_replayed(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    times = []
    for _ in range(3):
        time.now += HOUR
        times.append((time.now, happened(organization)))
    assert replay(times[1][0] - MINUTE, times[1][0] + MINUTE)["fannedOut"] == 1
    assert tasks(settings().delivery_queue_url) == [(times[1][1].id, 1)]


def test_lost_jobs_reach_their_queues(organization: NewOrganization, time: Time) -> None:
    home = organization.organization_id
    happened(organization, Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1"))
    others = [queue for queue in JobQueue if queue is not JobQueue.AGENT]
    for queue in others:
        job = Job(queue, {"for": queue.value}, organization.organization_id)
        table.put_new(job_item(organization.organization_id, job))
    time.now += HOUR
    assert replayed()["fannedOut"] == 1 + len(others)
    assert received(settings().agent_queue_url) == [{"organization": home, "messageId": "msg_1"}]
    for queue in others:
        assert received(settings().queue_url(queue.value)) == [{"organization": home, "for": queue.value}]


def test_a_request_of_a_service_that_was_queued_before_is_not_replayed(time: Time) -> None:
    job = Job(JobQueue.INTEGRATION, {"text": "from a service"}, "group")
    lost, queued = hook_item("slack", "1" * 64, job), hook_item("slack", "2" * 64, job)
    for item in (lost, queued):
        table.put_new(item)
    table.change(queued.key, set={"jobs": None})
    assert replayed() == {"fannedOut": 1, "queued": 0}
    assert received(settings().queue_url("integration")) == [{"text": "from a service"}]
    assert "jobs" not in (table.get(lost.key) or {})
    assert replayed() == {"fannedOut": 0, "queued": 0}


def test_a_replay_uses_the_present_list_of_events(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    endpoint_id = add(api, "message.created")
    happened(organization)
    api.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]})
    assert replayed()["fannedOut"] == 1
    assert received(settings().delivery_queue_url) == []


@pytest.mark.parametrize("status", [200, 500])
def test_what_was_attempted_before_is_not_attempted_out_of_turn(
    organization: NewOrganization, api: Client, time: Time, status: int
) -> None:
    add(api, "message.created")
    event = happened(organization)
    [task] = first_tasks(event)
    attempted(event, task, status)
    assert replayed() == {"fannedOut": 1, "queued": 0}
    assert tasks(settings().delivery_queue_url) == [(event.id, 1)]
    receiver = Receiver(200)
    assert asyncio.run(deliveries.handle([task], receiver)) == [None]
    assert receiver.requests == 0


@pytest.mark.parametrize(
    ("status", "attempt"), [(500, 2), (None, 1)], ids=["a retry that no message is left for", "a dead worker"]
)
def test_a_delivery_whose_message_is_lost_goes_on_where_it_was(
    organization: NewOrganization, api: Client, time: Time, status: int | None, attempt: int
) -> None:
    add(api, "message.created")
    event = happened(organization)
    [task] = first_tasks(event)
    attempted(event, task, status)
    time.now += 44 * MINUTE
    assert replayed()["queued"] == 0
    time.now += 2 * MINUTE
    assert replayed()["queued"] == 1
    assert tasks(settings().retry_queue_url) == [(event.id, attempt)]


def test_a_delivery_that_is_over_is_left_alone(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    event = happened(organization)
    [task] = first_tasks(event)
    attempted(event, task)
    time.now += DAY
    assert replayed()["queued"] == 0
    assert delivery(event)["state"] == "delivered"


def test_the_command_takes_times_with_and_without_an_offset() -> None:
    parse = admin._parser().parse_args
    assert parse(["replay", "--from", "2026-01-31T09:00Z"]).since == 1_769_850_000_000
    assert parse(["replay", "--from", "2026-01-31T10:00+01:00"]).since == 1_769_850_000_000
    assert parse(["replay", "--from", "2026-01-31T09:00", "--to", "2026-01-31"]).until == 1_769_817_600_000


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
    organization: NewOrganization, api: Client, time: Time, from_first: bool
) -> None:
    failing(organization, api)
    time.now += 10
    event = happened(organization)
    [task] = first_tasks(event)
    receiver = Receiver(200)
    assert asyncio.run(deliveries.handle([task], receiver, healthy_only=from_first)) == [None]
    if from_first:
        assert (receiver.requests, table.get(task.delivery.key)) == (0, None)
        assert tasks(settings().retry_queue_url) == [(event.id, 1)]
    else:
        assert (receiver.requests, delivery(event)["state"]) == (1, "delivered")
