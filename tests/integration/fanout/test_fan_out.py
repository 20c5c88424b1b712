import copy
import json
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobQueue, job_item
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.search import jobs as search
from helpdesk.storage.table import Item, to_wire
from tests.support.api import Client, function
from tests.support.aws import recorded_calls
from tests.support.template import ROOT

LATER = 4_000_000_000_000
HELLO = {"message": {"id": "msg_1", "conversationId": "conv_1", "sender": "visitor", "body": "hello"}}


def fan_out(*items: Item) -> dict[str, Any]:
    sample = json.loads((ROOT / "events" / "fanout-stream.json").read_text())["Records"][0]
    records = []
    for number, item in enumerate(items):
        record = copy.deepcopy(sample)
        record["dynamodb"] |= {"NewImage": to_wire(item), "SequenceNumber": str(number)}
        records.append(record)
    answer: dict[str, Any] = function("fanout").handler({"Records": records}, None)
    return answer


def received(url: str) -> list[Any]:
    """Take every message off a queue; return its jobs in the order it gives them."""
    bodies = []
    sqs = clients.sqs()
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            bodies += [json.loads(line) for line in message["Body"].split("\n")]
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def event_of(
    organization: NewOrganization, kind: WebhookEvent = WebhookEvent.MESSAGE_CREATED, at: int = LATER
) -> Event:
    return Event.new(organization.organization_id, kind, HELLO, at)


def add(api: Client, *events: str) -> str:
    body = {"url": "https://93.184.215.14/", "events": list(events)}
    return str(api.post("/v1/webhooks", body).body["id"])


def test_an_event_is_queued_once_for_each_endpoint_that_listens(
    organization: NewOrganization, api: Client
) -> None:
    listening = [add(api, "message.created"), add(api, "message.created", "bug.created")]
    add(api, "bug.created")
    event = event_of(organization)
    assert fan_out(event.to_item()) == {"batchItemFailures": []}
    queued = received(settings().delivery_queue_url)
    assert sorted(message["endpoint_id"] for message in queued) == sorted(listening)
    assert {message["event_id"] for message in queued} == {event.id}
    assert {message["attempt"] for message in queued} == {1}


def test_another_organizations_endpoints_get_nothing(
    organization: NewOrganization, api: Client, stranger: Client
) -> None:
    add(stranger, "message.created")
    fan_out(event_of(organization).to_item())
    assert received(settings().delivery_queue_url) == []


def test_an_endpoint_gets_only_events_from_after_its_creation(
    organization: NewOrganization, api: Client
) -> None:
    add(api, "message.created")
    fan_out(event_of(organization, at=1_000).to_item())
    assert received(settings().delivery_queue_url) == []


def test_a_changed_event_list_affects_later_events_only(organization: NewOrganization, api: Client) -> None:
    endpoint_id = add(api, "message.created")
    earlier, later = event_of(organization), event_of(organization)
    fan_out(earlier.to_item())
    api.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]})
    fan_out(later.to_item())
    assert [message["event_id"] for message in received(settings().delivery_queue_url)] == [earlier.id]


def test_the_jobs_of_an_event_and_jobs_alone_go_to_their_queues(organization: NewOrganization) -> None:
    home = organization.organization_id
    answer = Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1")
    index = Job(JobQueue.KNOWLEDGE, {"organization": home, "documentId": "doc_1"})
    event = Event.new(
        organization.organization_id, WebhookEvent.MESSAGE_CREATED, HELLO, LATER, jobs=(answer,)
    )
    fan_out(event.to_item(), job_item(organization.organization_id, index).to_item())
    assert received(settings().agent_queue_url) == [{"organization": home, "messageId": "msg_1"}]
    assert received(settings().knowledge_queue_url) == [{"organization": home, "documentId": "doc_1"}]


def test_a_job_read_twice_is_queued_once(organization: NewOrganization) -> None:
    job = job_item(organization.organization_id, Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1"))
    fan_out(job.to_item())
    fan_out(job.to_item())
    home = organization.organization_id
    assert received(settings().agent_queue_url) == [{"organization": home, "messageId": "msg_1"}]


def test_jobs_of_one_group_keep_their_order(organization: NewOrganization) -> None:
    jobs = [
        job_item(organization.organization_id, Job(JobQueue.AGENT, {"n": n}, "conv_1")) for n in range(25)
    ]
    fan_out(*(job.to_item() for job in jobs))
    assert [body["n"] for body in received(settings().agent_queue_url)] == list(range(25))


def test_a_message_that_the_queue_refuses_is_reported_for_another_try(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(api, "message.created")
    sqs = clients.sqs()
    monkeypatch.setattr(
        sqs,
        "send_message_batch",
        lambda **_: {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]},
    )
    assert fan_out(event_of(organization).to_item()) == {"batchItemFailures": [{"itemIdentifier": "0"}]}


def with_jobs(organization: NewOrganization, number: int) -> Event:
    """Return an event as a visitor's message in conversation `number` writes it."""
    home, conversation = organization.organization_id, f"conv_{number}"
    answer = Job(JobQueue.AGENT, {"organization": home, "conversationId": conversation})
    jobs = (answer, search.message(home, conversation, f"msg_{number}"))
    return Event.new(home, WebhookEvent.MESSAGE_CREATED, HELLO, LATER, jobs)


def test_a_batch_reads_an_organizations_endpoints_once_and_writes_nothing(
    organization: NewOrganization, api: Client
) -> None:
    add(api, "message.created")
    items = [with_jobs(organization, number).to_item() for number in range(100)]
    with recorded_calls() as calls:
        fan_out(*items)
    deliveries, answers, searches = 10, 10, 1
    assert sorted(calls) == [
        "dynamodb:Query",
        *["sqs:SendMessageBatch"] * (deliveries + answers + searches),
    ]


def test_up_to_ten_search_jobs_of_an_organization_share_a_message(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    events = [with_jobs(organization, number) for number in range(12)]
    fan_out(*(event.to_item() for event in (*events, with_jobs(other_organization, 12))))
    messages = clients.sqs().receive_message(
        QueueUrl=settings().search_queue_url, MaxNumberOfMessages=10, AttributeNames=["MessageGroupId"]
    )["Messages"]
    home, other = organization.organization_id, other_organization.organization_id
    assert sorted(
        (message["Attributes"]["MessageGroupId"], len(message["Body"].split("\n"))) for message in messages
    ) == sorted([(home, 10), (home, 2), (other, 1)])
    assert {
        job["messageId"] for message in messages for job in map(json.loads, message["Body"].split("\n"))
    } == {f"msg_{number}" for number in range(13)}


def test_a_refused_message_repeats_every_record_with_a_job_in_it(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing_the_second(*, QueueUrl: str, **_: Any) -> Any:
        refused = [{"Id": "1"}] if QueueUrl == settings().search_queue_url else []
        return {"Failed": refused}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", refusing_the_second)
    failed = fan_out(*(with_jobs(organization, number).to_item() for number in range(12)))
    assert failed == {"batchItemFailures": [{"itemIdentifier": "10"}, {"itemIdentifier": "11"}]}


def test_a_search_job_that_the_queue_refuses_for_its_content_is_a_dead_letter_alone(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = with_jobs(organization, 0), with_jobs(organization, 13)
    send = clients.sqs().send_message_batch

    def sending(*, QueueUrl: str, Entries: list[Any]) -> Any:
        if any("msg_13" in entry["MessageBody"] for entry in Entries):
            raise ClientError({"Error": {"Code": "InvalidMessageContents"}}, "SendMessageBatch")
        return send(QueueUrl=QueueUrl, Entries=Entries)

    monkeypatch.setattr(clients.sqs(), "send_message_batch", sending)
    assert fan_out(bad.to_item(), good.to_item()) == {"batchItemFailures": []}
    assert [job["messageId"] for job in received(settings().search_queue_url)] == ["msg_0"]
    assert [letter["key"] for letter in received(settings().dead_letters_url)] == [bad.key.attributes()]


def test_the_sample_event_runs() -> None:
    sample = json.loads((ROOT / "events" / "fanout-stream.json").read_text())
    assert function("fanout").handler(sample, None) == {"batchItemFailures": []}
    assert len(received(settings().agent_queue_url)) == 1


def test_a_record_that_cannot_be_read_moves_to_the_dead_letters_and_blocks_nothing(
    organization: NewOrganization, api: Client
) -> None:
    add(api, "message.created")
    good, unreadable = event_of(organization), event_of(organization).to_item()
    del unreadable["type"]
    assert fan_out(unreadable, good.to_item()) == {"batchItemFailures": []}
    assert [message["event_id"] for message in received(settings().delivery_queue_url)] == [good.id]
    assert len(received(settings().dead_letters_url)) == 1


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_fan_out_that_fails_repeatedly_in_part_queues_every_first_attempt(
    seed: int, organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    for _ in range(2):
        add(api, "message.created")
    items = [event_of(organization).to_item() for _ in range(6)]
    send = clients.sqs().send_message_batch

    def sending(*, QueueUrl: str, Entries: list[Any]) -> Any:
        refused = [entry for entry in Entries if random.random() < 0.2]
        kept = [entry for entry in Entries if entry not in refused]
        if kept:
            send(QueueUrl=QueueUrl, Entries=kept)
        return {"Failed": [{"Id": entry["Id"], "SenderFault": False, "Code": "500"} for entry in refused]}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", sending)
    waiting, rounds = items, 0
    while waiting:
        # As the stream does: what is named comes again, and with it now and then what is done.
        failed = {int(failure["itemIdentifier"]) for failure in fan_out(*waiting)["batchItemFailures"]}
        waiting = [item for place, item in enumerate(waiting) if place in failed or random.random() < 0.1]
        rounds += 1
    assert rounds > 1
    pairs = {
        (message["endpoint_id"], message["event_id"]) for message in received(settings().delivery_queue_url)
    }
    assert len(pairs) == 12
