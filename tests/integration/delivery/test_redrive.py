"""The operator's command that moves dead letters back."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import worker as deliveries
from scripts import redrive
from tests.integration.delivery import test_reconciling as lost_things
from tests.integration.delivery.test_reconciling import Time, add, happened, tasks, time
from tests.integration.fanout.test_fan_out import received
from tests.support.api import Client

__all__ = ["time"]  # the fixture


def dead_letters_of(url: str, fifo: str = "") -> str:
    sqs = clients.sqs()
    dead = sqs.create_queue(QueueName=f"dead{fifo}", Attributes={"FifoQueue": "true"} if fifo else {})[
        "QueueUrl"
    ]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 5})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"RedrivePolicy": policy})
    return dead


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """An SQS that does not know how to move messages."""

    def unknown(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "InvalidAction"}}, "StartMessageMoveTask")

    monkeypatch.setattr(clients.sqs(), "start_message_move_task", unknown)


@pytest.mark.usefixtures("emulated")
def test_dead_letters_go_back_to_their_queue() -> None:
    dead = dead_letters_of(settings().delivery_queue_url)
    for number in range(13):
        clients.sqs().send_message(QueueUrl=dead, MessageBody=json.dumps(number))
    assert redrive.redrive("delivery") == {"queue": "delivery", "found": 13, "moved": 13, "left": 0}
    assert sorted(received(settings().delivery_queue_url)) == list(range(13))


@pytest.mark.usefixtures("emulated")
def test_a_queue_that_keeps_an_order_gets_them_back_in_their_groups() -> None:
    dead = dead_letters_of(settings().agent_queue_url, ".fifo")
    for number in (1, 2):
        clients.sqs().send_message(
            QueueUrl=dead,
            MessageBody=json.dumps(number),
            MessageGroupId="conv_1",
            MessageDeduplicationId=str(number),
        )
    assert redrive.redrive("agent")["moved"] == 2
    assert received(settings().agent_queue_url) == [1, 2]


def test_sqs_moves_them_itself_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    dead_letters_of(settings().retry_queue_url)
    asked: list[str] = []

    def start(*, SourceArn: str) -> dict[str, str]:
        asked.append(SourceArn.rpartition(":")[2])
        return {"TaskHandle": "handle"}

    states = iter(
        [
            {"Status": "RUNNING", "TaskHandle": "handle"},
            {"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": 7},
        ]
    )
    monkeypatch.setattr(clients.sqs(), "start_message_move_task", start)
    monkeypatch.setattr(clients.sqs(), "list_message_move_tasks", lambda **_: {"Results": [next(states)]})
    monkeypatch.setattr(redrive, "_WAIT_SECONDS", 0)
    assert redrive.redrive("retry")["moved"] == 7
    assert asked == ["dead"]


def test_a_refusal_of_sqs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    dead_letters_of(settings().retry_queue_url)

    def refused(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "StartMessageMoveTask")

    monkeypatch.setattr(clients.sqs(), "start_message_move_task", refused)
    with pytest.raises(ClientError, match="AccessDenied"):
        redrive.redrive("retry")


def test_fan_outs_dead_letters_are_fanned_out_again(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    event = happened(organization)
    place = {"DDBStreamBatchInfo": {"shardId": "shard", "startSequenceNumber": "1"}}
    clients.sqs().send_message(QueueUrl=settings().dead_letters_url, MessageBody=json.dumps(place))
    time.now += 2 * lost_things.MINUTE
    assert redrive.redrive("fanout") == {"queue": "fanout", "found": 1, "moved": 1, "left": 0}
    assert tasks(settings().delivery_queue_url) == [(event.id, 1)]


def test_a_repaired_delivery_is_resumed_and_an_unreadable_one_is_tried_and_given_up_again(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    made = []
    for _ in range(2):
        event = happened(organization)
        made += deliveries.create(
            event.organization, event.id, event.type, event.created_at, webhooks.listening(event.organization)
        )
    tasks(settings().delivery_queue_url)
    for task in made:
        table.update(task.delivery.key, "SET #s = :moon", names={"#s": "state"}, values={":moon": "moon"})

    def reconcile_five_times() -> None:
        for _ in range(5):
            time.now += lost_things.HOUR
            lost_things.reconcile()

    reconcile_five_times()
    repaired = made[0].delivery
    table.update(repaired.key, "SET #s = :state", names={"#s": "state"}, values={":state": "pending"})

    assert redrive.redrive("fanout")["found"] == 2
    assert tasks(settings().retry_queue_url) == [(repaired.event_id, 1)]
    assert redrive.redrive("fanout")["found"] == 0
    reconcile_five_times()
    assert redrive.redrive("fanout")["found"] == 1


def test_a_repaired_item_is_fanned_out_and_an_unreadable_one_stays_a_dead_letter(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    events = [happened(organization), happened(organization)]
    for event in events:
        table.update(lost_things.key_of(event), "REMOVE createdAt")
    time.now += lost_things.HOUR
    lost_things.reconcile()
    repaired = lost_things.key_of(events[0])
    table.update(repaired, "SET createdAt = :at", values={":at": events[0].created_at})
    assert redrive.redrive("fanout") == {"queue": "fanout", "found": 2, "moved": 1, "left": 1}
    assert tasks(settings().delivery_queue_url) == [(events[0].id, 1)]
