"""The operator's command that moves dead letters back."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks.delivery.fanout import fan_out_again
from scripts import redrive
from tests.integration.delivery.happening import HOUR, Time, add, happened, tasks, time
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
    at = datetime.fromtimestamp(time.now // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    times = {"approximateArrivalOfFirstRecord": at, "approximateArrivalOfLastRecord": at}
    place = {"DDBStreamBatchInfo": {"shardId": "shard", "startSequenceNumber": "1", **times}}
    clients.sqs().send_message(QueueUrl=settings().dead_letters_url, MessageBody=json.dumps(place))
    time.now += 7 * HOUR
    happened(organization)  # the stream still brings it
    assert redrive.redrive("fanout") == {"queue": "fanout", "found": 1, "moved": 1, "left": 0}
    assert tasks(settings().delivery_queue_url) == [(event.id, 1)]


def test_a_repaired_item_is_fanned_out_and_an_unreadable_one_stays_a_dead_letter(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    add(api, "message.created")
    events = [happened(organization), happened(organization)]
    for event in events:
        table.update(event.key, "REMOVE createdAt")
    fan_out_again([item for event in events if (item := table.get(event.key)) is not None])
    repaired = events[0].key
    table.update(repaired, "SET createdAt = :at", values={":at": events[0].created_at})
    assert redrive.redrive("fanout") == {"queue": "fanout", "found": 2, "moved": 1, "left": 1}
    assert tasks(settings().delivery_queue_url) == [(events[0].id, 1)]
