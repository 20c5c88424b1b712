"""A delivery is sent again when someone asks for it."""

import json

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clients, clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks.delivery import service as history
from helpdesk.webhooks.delivery.record import Delivery, DeliveryId
from tests.integration.fanout.test_fan_out import fan_out
from tests.integration.webhooks.conftest import Receiver
from tests.integration.webhooks.test_history import deliveries, happen, work
from tests.support.api import Client
from tests.support.deliveries import attempted, first_tasks
from tests.support.interleaving import interleaved
from tests.support.table import of_kind


def claimed(organization: NewOrganization, event_id: str) -> DeliveryId:
    """Let a worker claim the first attempt and die."""
    item = table.get(Event.key_for(organization.organization_id, event_id))
    assert item is not None
    event = Event.from_item(item)
    (task,) = first_tasks(event)
    attempted(event, task, status=None)
    return task.delivery


def stream_jobs() -> None:
    """Bring to the fan-out what a redelivery left in the outbox."""
    fan_out(*of_kind("JOB"))


def test_a_redelivery_sends_the_same_bytes_at_once_and_is_in_the_history(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization, "grüße")
    work()
    assert api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver").body == {"ok": True}
    (waiting,) = deliveries(api, endpoint)
    assert (waiting["status"], len(waiting["attempts"])) == ("pending", 1)
    stream_jobs()
    work()
    (first, _), (second, _) = receiver.sent
    assert first == second
    (shown,) = deliveries(api, endpoint)
    assert shown["status"] == "delivered"
    assert [attempt["attempt"] for attempt in shown["attempts"]] == [1, 1]


def test_the_status_of_the_endpoint_follows_a_redelivery(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    receiver.outcomes = [Outcome(500, Failure.STATUS, 5), Outcome(200, None, 5)]
    event_id = happen(organization)
    work()
    assert api.get("/v1/webhooks").body["webhooks"][0]["status"] == "failing"
    api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver")
    stream_jobs()
    work()
    assert api.get("/v1/webhooks").body["webhooks"][0]["status"] == "delivered"


def test_a_second_redelivery_before_the_first_began_is_refused(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()
    path = f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver"
    assert api.post(path).status == 200
    answer = api.post(path)
    assert (answer.status, answer.code) == (409, "delivery_in_progress")
    assert len(of_kind("JOB")) == 1


@pytest.mark.parametrize("seed", range(5))
def test_of_ten_redeliveries_at_once_one_begins(
    seed: int, organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()

    def ask() -> str:
        try:
            history.redeliver(organization.organization_id, endpoint, event_id)
        except AppError as error:
            return error.code
        return "ok"

    outcomes = interleaved([ask] * 10, seed=seed).all()
    assert sorted(outcomes) == [*["delivery_in_progress"] * 9, "ok"]
    assert len(of_kind("JOB")) == 1


def test_a_redelivery_while_an_attempt_is_under_way_is_refused(
    organization: NewOrganization, api: Client, endpoint: str
) -> None:
    event_id = happen(organization)
    claimed(organization, event_id)
    answer = api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver")
    assert (answer.status, answer.code) == (409, "delivery_in_progress")


def test_a_redelivery_after_a_worker_died_keeps_the_attempt_that_it_made(
    organization: NewOrganization, api: Client, endpoint: str
) -> None:
    event_id = happen(organization)
    claimed_until = clock.now_ms() - 1
    delivery = claimed(organization, event_id)
    table.change(delivery.key, set={"claimed_until": claimed_until})
    assert api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver").status == 200
    (shown,) = deliveries(api, endpoint)
    assert shown["attempts"] == [
        {
            "attempt": 1,
            "at": claimed_until - 40_000,
            "status": None,
            "durationMs": 40_000,
            "error": "interrupted",
        }
    ]


def test_a_delivery_redelivered_often_keeps_its_newest_fifty_attempts(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    event_id = happen(organization)
    work()
    item = of_kind("evt_")[0]
    table.update(
        Delivery.key_for(organization.organization_id, endpoint, event_id),
        "SET attempts = :many",
        values={":many": item["attempts"] * 49},
    )
    for _ in range(2):
        assert api.post(f"/v1/webhooks/{endpoint}/deliveries/{event_id}/redeliver").status == 200
        clients.sqs().send_message(
            QueueUrl=settings().delivery_queue_url,
            MessageBody=json.dumps(of_kind("JOB")[-1]["jobs"][0]["body"]),
        )
        work()
    assert len(receiver.sent) == 3
    (shown,) = deliveries(api, endpoint)
    assert len(shown["attempts"]) == 46  # 45 of before, and the one of the run that began last
