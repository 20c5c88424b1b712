"""No record of one organization holds up another's: unknown values, missing attributes and wrong types in each item."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobQueue, job_item
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.table import Item
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import reconciling
from helpdesk.webhooks.delivery import worker as deliveries
from tests.integration.fanout.test_fan_out import fan_out, received
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.permissions import running

MINUTE = 60_000
WRONG: list[Any] = [None, "", "x", -1, 1.5, True, [5], {"x": 1}]


class Time:
    """The present, which a test moves."""

    now = 1_800_000_000_000


@pytest.fixture
def time() -> Iterator[Time]:
    present = Time()
    with clock.frozen(lambda: present.now * 1_000):
        yield present


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


def add(api: Client, *events: str) -> str:
    answer = api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": list(events)})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def happened(organization: NewOrganization) -> Event:
    event = Event.new(organization.organization_id, WebhookEvent.MESSAGE_CREATED, {}, clock.now_ms())
    table.put_new(event.to_item())
    return event


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


def test_an_event_with_an_unreadable_endpoint_is_set_aside_after_it_was_tried_again(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    good, ours = add(api, "message.created"), add(api, "message.created")
    put({**endpoint_item(ours), "url": 5})
    time.now += 1
    event = happened(organization)

    fan_out(event.to_item())
    assert received(settings().dead_letters_url) == []
    time.now += 46 * MINUTE
    reconciling.fan_out_pending(clock.now_ms() - 45 * MINUTE, clock.now_ms() + MINUTE)

    assert [letter["key"]["SK"] for letter in received(settings().dead_letters_url)] == [
        event.to_item()["SK"]
    ]
    assert {endpoint for endpoint, _ in delivered_to()} == {good}
    time.now += 46 * MINUTE
    assert running("reconciler", reconciling.reconcile)(clock.now_ms() + MINUTE).fanned_out == 0


@pytest.mark.parametrize("reader", ["stream", "reconciler"])
def test_no_outbox_item_holds_up_another_whatever_is_wrong_with_it(
    reader: str, organization: NewOrganization, api: Client, time: Time
) -> None:
    home = organization.organization_id
    endpoint = add(api, "message.created")
    time.now += 1
    jobs = (
        Job(JobQueue.AGENT, {"messageId": "msg_1"}, "conv_1", "msg_1"),
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
    run: Callable[[Item], object] = fan_out if reader == "stream" else put
    for start in range(0, len(cases), 50):
        good = event()
        batch = [item for _, item in cases[start : start + 50]] + [good.to_item()]
        if reader == "stream":
            assert fan_out(*batch) == {"batchItemFailures": []}
        else:
            for number, item in enumerate(batch):
                run(
                    {**item, "SK": item["SK"][:-4] + f"{start + number:04d}"}
                    if item is not batch[-1]
                    else item
                )
            time.now += 46 * MINUTE
            reconciling.fan_out_pending(clock.now_ms() - 45 * MINUTE, clock.now_ms() + 10 * MINUTE)
            time.now -= 46 * MINUTE
        assert (endpoint, good.id) in delivered_to()


def test_no_delivery_holds_up_another_whatever_is_wrong_with_it(
    organization: NewOrganization,
    api: Client,
    stranger: Client,
    other_organization: NewOrganization,
    time: Time,
) -> None:
    add(api, "message.created")
    theirs = add(stranger, "message.created")
    time.now += 1
    for home in (organization, other_organization):
        event = happened(home)
        deliveries.create(
            event.organization,
            event.id,
            event.type,
            event.created_at,
            webhooks.listening(event.organization),
        )
    (ours,) = [item for item in whole_table.of_kind("evt_") if theirs not in item["PK"]]
    ours = {**ours, "attempts": [{"attempt": 1, "at": 1, "status": None, "error": "moon", "durationMs": 1}]}
    cases = list(poisoned(ours))
    for name, bad in poisoned(ours["attempts"][0]):
        cases.append((f"attempts: {name}", {**ours, "attempts": [bad]}))
    assert len(cases) > 100
    for name, item in cases:
        put(item)
        time.now += 46 * MINUTE
        running("reconciler", reconciling.reconcile)(clock.now_ms() + MINUTE)
        assert theirs in {endpoint for endpoint, _ in delivered_to()}, name


def test_an_unreadable_delivery_is_given_up_after_five_failures_with_a_dead_letter(
    organization: NewOrganization, api: Client, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    add(api, "message.created")
    time.now += 1
    event = happened(organization)
    (task,) = deliveries.create(
        event.organization, event.id, event.type, event.created_at, webhooks.listening(event.organization)
    )
    table.update(task.delivery.key, "SET #s = :moon", names={"#s": "state"}, values={":moon": "moon"})
    for run in range(1, 8):
        time.now += 46 * MINUTE
        reconciling.enqueue_overdue(clock.now_ms() - 45 * MINUTE, clock.now_ms() + MINUTE)
        assert len(received(settings().dead_letters_url)) == (run == 5), run
    assert [record.msg for record in caplog.records].count("record_unreadable") == 5
    assert "GSI1PK" not in (table.get(task.delivery.key) or {})


def test_an_endpoint_whose_key_cannot_be_read_does_not_stop_the_reconciler(
    organization: NewOrganization,
    api: Client,
    stranger: Client,
    other_organization: NewOrganization,
    time: Time,
) -> None:
    ours, theirs = add(api, "message.created"), add(stranger, "message.created")
    time.now += 1
    for home in (organization, other_organization):
        event = happened(home)
        listening = webhooks.listening(event.organization)
        deliveries.create(event.organization, event.id, event.type, event.created_at, listening)
    item = endpoint_item(ours)
    for bad in ({key: value for key, value in item.items() if key != "keyId"}, {**item, "keyId": 5}):
        put(bad)
        time.now += 46 * MINUTE
        reconciling.enqueue_overdue(clock.now_ms() - 45 * MINUTE, clock.now_ms() + MINUTE)
        assert theirs in {endpoint for endpoint, _ in delivered_to()}


def test_a_key_can_be_revoked_while_one_of_its_endpoints_cannot_be_read(
    organization: NewOrganization, api: Client, admin: Client
) -> None:
    broken = add(api, "message.created")
    item = endpoint_item(broken)
    put({**item, "url": 5})

    assert admin.delete(f"/v1/keys/{item['keyId']}").status == 200
    assert endpoint_item(broken).get("keyId") is None
