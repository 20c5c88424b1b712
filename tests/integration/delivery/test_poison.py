"""No record of one organization holds up another's: unknown values, missing attributes and wrong types in each item."""

import asyncio
from collections.abc import Iterator
from copy import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobQueue, job_item
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.table import Item
from helpdesk.webhooks.delivery import fanout
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.fanout import fan_out_again
from scripts.replay import replay
from tests.integration.delivery.happening import MINUTE, Receiver, Time, add, happened, time
from tests.integration.fanout.test_fan_out import fan_out, received
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.deliveries import attempted, first_tasks

__all__ = ["time"]  # the fixture

WRONG: list[Any] = [None, "", "x", -1, 1.5, True, [5], {"x": 1}]


def put(item: Item) -> None:
    """Write an item over the one that has its key."""
    clients.dynamodb().put_item(TableName=settings().table_name, Item=table.to_wire(item))


def poisoned(item: Item) -> Iterator[tuple[str, Item]]:
    """Yield the item in every way in which one attribute can be wrong, with a name for it."""
    for name in item:
        if name in {"PK", "SK"} or name.startswith("GSI"):
            continue
        yield f"without {name}", {key: value for key, value in item.items() if key != name}
        for value in WRONG:
            if value != item[name]:
                yield f"{name}={value!r}", {**item, name: value if value != 1.5 else _decimal()}


def _decimal() -> Any:
    from decimal import Decimal  # noqa: PLC0415 - DynamoDB's numbers with a fraction

    return Decimal("1.5")


def endpoint_item(endpoint_id: str) -> Item:
    """Return an endpoint's item as it was stored when every attribute was."""
    found = whole_table.of_kind(f"ENDPOINT#{endpoint_id}")
    (item,) = [each for each in found if each["PK"].endswith("#WEBHOOK")]
    unset = dict.fromkeys(("lastDeliveryAt", "lastFailureAt", "failingSince", "secretCreatedAt"))
    return {"id": endpoint_id, **unset, **item}


def delivered_to() -> set[tuple[str, str]]:
    """Take the queued tasks; return their endpoints and events."""
    queues = (settings().delivery_queue_url, settings().retry_queue_url)
    return {(task["endpoint_id"], task["event_id"]) for url in queues for task in received(url)}


def test_an_endpoint_with_an_unknown_kind_of_event_receives_the_kinds_that_are_known(
    organization: NewOrganization, api: Client, stranger: Client, other_organization: NewOrganization
) -> None:
    theirs, ours = add(stranger, "message.created"), add(api, "message.created")
    put({**endpoint_item(ours), "events": ["moon.rose", "message.created", 5]})
    events = [happened(organization), happened(other_organization)]

    assert fan_out(*(event.to_item() for event in events)) == {"batchItemFailures": []}

    assert delivered_to() == {(ours, events[0].id), (theirs, events[1].id)}
    assert received(settings().dead_letters_url) == []
    (shown,) = api.get("/v1/webhooks").body["webhooks"]
    assert shown["events"] == ["message.created"]
    assert endpoint_item(ours)["events"] == ["moon.rose", "message.created", 5]


def test_no_endpoint_holds_up_another_whatever_is_wrong_with_it(
    organization: NewOrganization, api: Client, stranger: Client, other_organization: NewOrganization
) -> None:
    theirs, ours, good = (
        add(stranger, "message.created"),
        add(api, "message.created"),
        add(api, "message.created"),
    )
    cases = list(poisoned(endpoint_item(ours)))
    assert len(cases) > 70
    for name, item in cases:
        put(item)
        events = [happened(organization), happened(other_organization)]
        assert fan_out(*(event.to_item() for event in events)) == {"batchItemFailures": []}, name
        assert {(good, events[0].id), (theirs, events[1].id)} <= delivered_to(), name


def test_an_event_with_an_unreadable_endpoint_reaches_the_others_and_is_set_aside(
    organization: NewOrganization, api: Client
) -> None:
    good, ours = add(api, "message.created"), add(api, "message.created")
    put({**endpoint_item(ours), "url": 5})
    event = happened(organization)

    assert fan_out(event.to_item()) == {"batchItemFailures": []}

    assert {endpoint for endpoint, _ in delivered_to()} == {good}
    [letter] = received(settings().dead_letters_url)
    assert letter["key"] == event.key.attributes()


def test_an_event_that_cannot_be_set_aside_is_repeated(
    organization: NewOrganization, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put({**endpoint_item(add(api, "message.created")), "url": 5})

    def fail(_: object) -> None:
        raise ClientError({"Error": {"Code": "ServiceUnavailable"}}, "SendMessage")

    monkeypatch.setattr(fanout, "write_dead_letter", fail)
    assert len(fan_out(happened(organization).to_item())["batchItemFailures"]) == 1


@pytest.mark.parametrize("reader", ["stream", "replay"])
def test_no_outbox_item_holds_up_another_whatever_is_wrong_with_it(
    reader: str, organization: NewOrganization, api: Client, time: Time
) -> None:
    home = organization.organization_id
    endpoint = add(api, "message.created")
    time.now += 1
    jobs = (
        Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1"),
        Job(JobQueue.TIMER, {"organization": home}, due_at=time.now),
    )

    def event() -> Event:
        return Event.new(home, WebhookEvent.MESSAGE_CREATED, {}, clock.now_ms(), jobs)

    sample = event().to_item()
    cases = [*poisoned(sample), *poisoned(job_item(home, jobs[0]).to_item())]
    for place, job in enumerate(sample["jobs"]):
        for name, bad in poisoned(job):
            listed = [*sample["jobs"][:place], bad, *sample["jobs"][place + 1 :]]
            cases.append((f"jobs: {name}", {**sample, "jobs": listed}))
    assert len(cases) > 150
    for start in range(0, len(cases), 50):
        good = event()
        batch = [item for _, item in cases[start : start + 50]] + [good.to_item()]
        if reader == "stream":
            assert fan_out(*batch) == {"batchItemFailures": []}
        else:
            fan_out_again(batch)
        assert (endpoint, good.id) in delivered_to()


def test_no_delivery_holds_up_another_whatever_is_wrong_with_it(
    organization: NewOrganization,
    api: Client,
    stranger: Client,
    other_organization: NewOrganization,
    time: Time,
) -> None:
    for client in (api, stranger):
        add(client, "message.created")
    time.now += 1
    ours, theirs = happened(organization), happened(other_organization)
    [our_task], [their_task] = first_tasks(ours), first_tasks(theirs)
    attempted(ours, our_task, status=500)
    (item,) = whole_table.of_kind(ours.id)
    cases = list(poisoned(item))
    for name, bad in poisoned(item["attempts"][0]):
        cases.append((f"attempts: {name}", {**item, "attempts": [bad]}))
    assert len(cases) > 90
    receiver = Receiver(200)
    for number, (name, bad) in enumerate(cases, 1):
        put(bad)
        time.now += MINUTE
        outcomes = asyncio.run(deliveries.handle([replace(our_task, attempt=2), their_task], receiver))
        assert outcomes[1] is None, name
        sent = (table.get(their_task.delivery.key) or {})["state"]
        assert sent == "delivered", name
        assert receiver.requests >= number, name
        table.delete(their_task.delivery.key)
    assert replay(0, time.now)["queued"] == 0  # and one that cannot be read ends no replay


def test_a_key_can_be_revoked_while_one_of_its_endpoints_cannot_be_read(
    organization: NewOrganization, api: Client, admin: Client
) -> None:
    broken = add(api, "message.created")
    item = endpoint_item(broken)
    put({**item, "url": 5})

    assert admin.delete(f"/v1/keys/{item['keyId']}").status == 200
    assert endpoint_item(broken).get("keyId") is None
