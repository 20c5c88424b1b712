"""Specification: States, Webhook endpoint delivery status."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings as platform_settings
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import queue
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.record import WebhookEndpoint
from tests.integration.delivery.test_worker import batch, handle_beside
from tests.support import effort
from tests.support.api import Client, function
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.table import of_kind

STOPPED, AGAIN = "webhook_stopped_answering", "webhook_answering_again"


@pytest.fixture
def endpoint(organization: NewOrganization, api: Client) -> WebhookEndpoint:
    api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": ["message.created"]})
    (found,) = webhooks.listening(organization.organization_id)
    return found


def shown(api: Client) -> tuple[str, int | None, int | None]:
    (listed,) = api.get("/v1/webhooks").body["webhooks"]
    return listed["status"], listed["lastDeliveryAt"], listed["failingSince"]


def logged(api: Client) -> list[str]:
    kinds = [entry["kind"] for entry in api.get("/v1/logs").body["logs"]]
    return [kind for kind in reversed(kinds) if kind in {STOPPED, AGAIN}]


def test_a_first_success_makes_it_delivered_with_the_time_and_logs_nothing(
    api: Client, endpoint: WebhookEndpoint
) -> None:
    webhooks.record_result(endpoint, succeeded=True, at=1_000)
    assert shown(api) == ("delivered", 1_000, None)
    assert logged(api) == []


def test_a_first_failure_makes_it_failing_since_then_and_logs_it(
    api: Client, endpoint: WebhookEndpoint
) -> None:
    webhooks.record_result(endpoint, succeeded=False, at=1_000)
    assert shown(api) == ("failing", None, 1_000)
    assert logged(api) == [STOPPED]


def test_further_failures_keep_the_time_of_the_first_and_log_nothing(
    api: Client, endpoint: WebhookEndpoint
) -> None:
    for at in (1_000, 2_000, 3_000):
        webhooks.record_result(endpoint, succeeded=False, at=at)
    assert shown(api) == ("failing", None, 1_000)
    assert logged(api) == [STOPPED]


def test_the_next_success_makes_it_delivered_again_and_logs_it(
    api: Client, endpoint: WebhookEndpoint
) -> None:
    webhooks.record_result(endpoint, succeeded=False, at=1_000)
    webhooks.record_result(endpoint, succeeded=True, at=2_000)
    assert shown(api) == ("delivered", 2_000, None)
    assert logged(api) == [STOPPED, AGAIN]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_status_follows_the_latest_result_in_whatever_order_results_arrive(
    api: Client, endpoint: WebhookEndpoint, order: tuple[int, ...]
) -> None:
    results = [(True, 1_000), (False, 2_000), (False, 3_000), (True, 4_000)]
    for number in order:
        succeeded, at = results[number]
        webhooks.record_result(endpoint, succeeded=succeeded, at=at)
    status, last_delivery_at, failing_since = shown(api)
    assert (status, last_delivery_at, failing_since) == ("delivered", 4_000, None)
    assert logged(api).count(STOPPED) == logged(api).count(AGAIN)


@pytest.mark.parametrize("seed", range(effort.of(8, 25)))
def test_many_failures_at_once_are_logged_exactly_once(
    api: Client, endpoint: WebhookEndpoint, seed: int
) -> None:
    pieces = [
        lambda at=at: webhooks.record_result(endpoint, succeeded=False, at=at) for at in range(1_000, 1_006)
    ]
    interleaved(pieces, seed=seed)
    assert logged(api) == [STOPPED]
    assert shown(api)[0] == "failing"


def test_a_result_for_an_endpoint_that_was_removed_changes_nothing(
    api: Client, endpoint: WebhookEndpoint
) -> None:
    api.delete(f"/v1/webhooks/{endpoint.id}")
    webhooks.record_result(endpoint, succeeded=False, at=1_000)
    webhooks.record_result(endpoint, succeeded=True, at=2_000)
    assert api.get("/v1/webhooks").body == {"webhooks": [], "unreadable": []}
    assert logged(api) == []


def test_a_result_that_keeps_the_status_costs_one_call(api: Client, endpoint: WebhookEndpoint) -> None:
    with recorded_calls() as calls:
        webhooks.record_result(endpoint, succeeded=True, at=1_000)
    assert calls == ["dynamodb:UpdateItem"]


@dataclass
class Shown:
    """The status as the specification has it: what the latest result that is known makes of it."""

    latest: int = 0
    delivered_at: int | None = None
    failing_since: int | None = None
    stopped: int = 0
    again: int = 0

    def take(self, at: int, *, succeeded: bool) -> None:
        """Take note of a result. One that is older than the latest changes nothing."""
        if at < self.latest:
            return
        self.latest = at
        failing = self.failing_since is not None
        self.again += failing and succeeded
        self.stopped += not failing and not succeeded
        if succeeded:
            self.delivered_at, self.failing_since = at, None
        elif not failing:
            self.failing_since = at

    def as_listed(self) -> tuple[str, int | None, int | None]:
        """Return what the endpoint's listing is to say."""
        good = "none" if self.delivered_at is None else "delivered"
        return good if self.failing_since is None else "failing", self.delivered_at, self.failing_since


RESULTS = st.lists(st.booleans(), min_size=1, max_size=9).flatmap(
    lambda results: st.permutations([(succeeded, 1_000 * n) for n, succeeded in enumerate(results, 1)])
)


@given(arriving=RESULTS)
@settings(
    max_examples=effort.of(15, 40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_late_result_of_an_older_attempt_overwrites_nothing_in_whatever_order_results_arrive(
    endpoint: WebhookEndpoint, arriving: list[tuple[bool, int]]
) -> None:
    forget(endpoint)
    expected = Shown()
    for succeeded, at in arriving:
        # As it was read at the attempt's beginning: a worker's knowledge of the status may be older than any result.
        webhooks.record_result(endpoint, succeeded=succeeded, at=at)
        expected.take(at, succeeded=succeeded)
        (now,) = webhooks.listed(endpoint.organization).webhooks
        assert (now.status, now.last_delivery_at, now.failing_since) == expected.as_listed()
    entries = [item["kind"] for item in of_kind("LOG#") if item["kind"] in {STOPPED, AGAIN}]
    assert entries == [STOPPED, AGAIN] * expected.again + [STOPPED] * (expected.stopped - expected.again)


def forget(endpoint: WebhookEndpoint) -> None:
    """Make the endpoint as new and its log empty, so that one test can run many orders."""
    table.update(
        WebhookEndpoint.key_for(endpoint.organization, endpoint.id),
        "REMOVE lastDeliveryAt, lastFailureAt, failingSince",
    )
    for item in of_kind("LOG#"):
        key = table.to_wire({"PK": item["PK"], "SK": item["SK"]})
        clients.dynamodb().delete_item(TableName=platform_settings().table_name, Key=key)


@pytest.mark.parametrize("seed", range(effort.of(12, 40)))
def test_concurrent_results_leave_the_status_of_the_latest(
    api: Client, endpoint: WebhookEndpoint, seed: int
) -> None:
    random = Random(seed)
    results = [(random.random() < 0.5, 1_000 * number) for number in range(1, 7)]
    interleaved(
        [
            lambda succeeded=succeeded, at=at: webhooks.record_result(endpoint, succeeded=succeeded, at=at)  # type: ignore[misc]
            for succeeded, at in results
        ],
        seed=seed,
    )
    status, delivered_at, failing_since = shown(api)
    last_succeeded, last_at = results[-1]
    assert status == ("delivered" if last_succeeded else "failing")
    assert (failing_since is None) == last_succeeded
    if last_succeeded:
        assert delivered_at == last_at
    entries = logged(api)
    assert entries == [STOPPED, AGAIN] * (len(entries) // 2) + [STOPPED] * (len(entries) % 2)
    assert (len(entries) % 2 == 0) == last_succeeded


@dataclass
class Receiver:
    """Answers everything with one status."""

    status: int = 500
    requests: int = 0


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """The receiver; a clock that goes on by 1 ms each time it is read; and workers that stay in their own threads."""
    made, ticks = Receiver(), itertools.count(clock.now_ms())

    async def send(
        _self: Sender, _url: str, _body: bytes, _headers: Mapping[str, str], _endpoint: str
    ) -> Outcome:
        made.requests += 1
        await asyncio.sleep(0)
        return Outcome(made.status, None if made.status < 300 else Failure.STATUS, 5)

    async def inline(work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return work(*arguments, **named)

    monkeypatch.setattr(Sender, "send", send)
    monkeypatch.setattr(asyncio, "to_thread", inline)
    monkeypatch.setattr(queue, "enqueue_later", lambda *_, **__: None)
    with clock.frozen(lambda: next(ticks) * 1_000):
        yield made


def create_deliveries(endpoint: WebhookEndpoint, number: int) -> list[DeliveryTask]:
    """Let events happen and return the tasks of their first attempts, which are due."""
    tasks = []
    for _ in range(number):
        event = Event.new(endpoint.organization, WebhookEvent.MESSAGE_CREATED, {}, clock.now_ms())
        table.put_new(event.to_item())
        tasks.append(DeliveryTask.first(event, endpoint))
    return [replace(task, due_at=0) for task in tasks]


def two_workers(tasks: list[DeliveryTask], seed: int) -> None:
    """Let two workers handle every message at once, each in an order of its own."""
    random = Random(seed)
    bodies = [task.to_json() for task in tasks]
    batches = [batch(*random.sample(bodies, len(bodies))) for _ in range(2)]
    handlers = [partial(handle_beside, event) for event in batches]
    assert interleaved(handlers, seed=seed).all() == [{"batchItemFailures": []}] * 2


@pytest.mark.parametrize("seed", range(effort.of(5, 15)))
def test_two_workers_with_repeated_messages_log_one_end_and_one_return(
    api: Client, endpoint: WebhookEndpoint, receiver: Receiver, seed: int
) -> None:
    first = create_deliveries(endpoint, 3)
    two_workers(first, seed)
    assert receiver.requests == 3  # each attempt is made once
    assert logged(api) == [STOPPED]
    assert shown(api)[0] == "failing"
    failing_since = shown(api)[2]

    two_workers(create_deliveries(endpoint, 2), seed)
    assert logged(api) == [STOPPED]
    assert shown(api)[2] == failing_since

    receiver.status = 200
    two_workers([replace(task, attempt=2) for task in first], seed)
    assert receiver.requests == 8
    assert logged(api) == [STOPPED, AGAIN]
    assert (shown(api)[0], shown(api)[2]) == ("delivered", None)

    for task in first:  # messages of attempts that are over
        function("delivery").handler(batch(*[replace(task, attempt=n).to_json() for n in (1, 2, 3)]), None)
    assert receiver.requests == 8
    assert logged(api) == [STOPPED, AGAIN]
    assert len(of_kind("evt_")) == 5
