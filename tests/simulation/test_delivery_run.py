from itertools import pairwise
from random import Random
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from tests.simulation.world import START_MS, World, first_task, simulated
from tests.support import effort
from tests.support.api import Client

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
# Attempt 1 at once, then after 30 s, 5 min, 30 min and 2 h, each counted from the end of the one before (200 ms).
FIVE_TIMES = [
    0,
    30 * SECOND + 200,
    5 * MINUTE + 30 * SECOND + 400,
    35 * MINUTE + 30 * SECOND + 600,
    2 * HOUR + 35 * MINUTE + 30 * SECOND + 800,
]


@pytest.fixture
def task(organization: NewOrganization, api: Client) -> DeliveryTask:
    with clock.frozen(lambda: (START_MS - 1) * 1000):
        answer = api.post(
            "/v1/webhooks", {"url": "https://93.184.215.14/hook", "events": ["message.created"]}
        )
        assert answer.status == 200, answer
        event = Event.new(
            organization.organization_id, WebhookEvent.MESSAGE_CREATED, {"text": "grüße"}, START_MS
        )
        table.put_new(event.to_item())
        (endpoint,) = webhooks.listening(organization.organization_id)
    return DeliveryTask.first(event, endpoint)


def run(world: World, task: DeliveryTask, monkeypatch: pytest.MonkeyPatch, **how: Any) -> None:
    with simulated(world, monkeypatch):
        first_task(task, world)
        world.run(**how)


def delivery(task: DeliveryTask) -> dict[str, Any]:
    item = table.get(Delivery.key_for(task.organization, task.endpoint_id, task.event_id))
    assert item is not None
    return item


def reset(task: DeliveryTask) -> None:
    """Forget the delivery, so that one test can run many worlds."""
    table.delete(task.delivery.key)


def test_an_endpoint_that_always_fails_is_tried_at_the_five_times_and_then_never_again(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(answer=lambda _: 500)
    run(world, task, monkeypatch)
    assert [at - START_MS for at, _, _ in world.sent] == FIVE_TIMES
    assert [entry["attempt"] for entry in delivery(task)["attempts"]] == [1, 2, 3, 4, 5]
    assert delivery(task)["state"] == "dropped"


def test_a_retry_due_in_two_hours_is_queued_again_every_fifteen_minutes(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(answer=lambda _: 500)
    run(world, task, monkeypatch)
    # 30 s; 5 min; 30 min in two hops; 2 h in eight.
    assert world.delays == [30, 300, 900, 900, *[900] * 8]


def test_every_attempt_sends_the_same_bytes_and_only_the_signature_differs(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(answer=lambda _: 503)
    run(world, task, monkeypatch)
    assert len({body for _, body, _ in world.sent}) == 1
    assert len({headers["svc-signature"] for _, _, headers in world.sent}) == 5
    assert all(headers["portal-signature"] == headers["svc-signature"] for _, _, headers in world.sent)


def test_a_success_ends_the_run(task: DeliveryTask, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(answer=lambda request: 200 if request == 3 else 500)
    run(world, task, monkeypatch)
    assert len(world.sent) == 3
    assert delivery(task)["state"] == "delivered"
    assert [entry["status"] for entry in delivery(task)["attempts"]] == [500, 500, 200]


def test_a_worker_that_dies_at_any_single_step_neither_forks_skips_nor_adds_an_attempt(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = World(answer=lambda _: 500)
    run(undisturbed, task, monkeypatch)
    assert undisturbed.steps > 60
    for step in range(1, undisturbed.steps + 1):
        reset(task)
        world = World(answer=lambda _: 500, deaths=frozenset({step}))
        run(world, task, monkeypatch)
        _require_one_whole_run(world, task, f"death at step {step}")
        # One death costs at most the one request that was about to be sent.
        assert len(world.sent) >= 4, step


def test_an_event_reaches_its_receiver_wherever_one_worker_dies(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = World(answer=lambda _: 200)
    run(undisturbed, task, monkeypatch)
    for step in range(1, undisturbed.steps + 1):
        reset(task)
        world = World(answer=lambda _: 200, deaths=frozenset({step}))
        run(world, task, monkeypatch)
        assert 1 <= len(world.sent) <= 2, step
        assert delivery(task)["state"] == "delivered", step


def test_a_lost_response_to_any_write_neither_skips_nor_adds_an_attempt(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = World(answer=lambda _: 500)
    run(undisturbed, task, monkeypatch)
    assert undisturbed.writes > 10
    for write in range(1, undisturbed.writes + 1):
        reset(task)
        world = World(answer=lambda _: 500, lost_responses=frozenset({write}))
        run(world, task, monkeypatch)
        assert [at - START_MS for at, _, _ in world.sent] == FIVE_TIMES, write
        _require_one_whole_run(world, task, f"lost response to write {write}")


def test_an_event_that_only_the_fifth_attempt_can_deliver_is_delivered_though_a_response_is_lost(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for write in range(1, 12):
        reset(task)
        world = World(answer=lambda request: 200 if request == 5 else 500, lost_responses=frozenset({write}))
        run(world, task, monkeypatch)
        assert (len(world.sent), delivery(task)["state"]) == (5, "delivered"), write


@pytest.mark.parametrize("seed", range(effort.of(10, 30)))
def test_deaths_duplicates_and_reorderings_together_leave_one_run_of_five(
    seed: int, task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    deaths = frozenset(random.sample(range(1, 120), k=random.randint(0, 6)))
    world = World(answer=lambda _: 500, deaths=deaths)
    run(world, task, monkeypatch, random=random, duplicates=0.4)
    _require_one_whole_run(world, task, f"seed {seed}")


@pytest.mark.parametrize("seed", range(effort.of(4, 10)))
def test_a_fan_out_that_queued_the_first_task_three_times_causes_one_run(
    seed: int, task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(answer=lambda _: 500)
    with simulated(world, monkeypatch):
        for _ in range(3):
            first_task(task, world)
        world.run(random=Random(seed), duplicates=0.3)
    assert len(world.sent) == 5
    _require_one_whole_run(world, task, f"seed {seed}")


def test_a_new_address_applies_to_a_retry_that_is_queued_already(
    task: DeliveryTask, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: list[str] = []

    class Watching(World):
        async def send(self, url: str, body: bytes, headers: Any, endpoint: str) -> Any:
            urls.append(url)
            if len(urls) == 1:
                api.patch(f"/v1/webhooks/{task.endpoint_id}", {"url": "https://93.184.215.14/new"})
            return await super().send(url, body, headers, endpoint)

    run(Watching(answer=lambda request: 500 if request == 1 else 200), task, monkeypatch)
    assert urls == ["https://93.184.215.14/hook", "https://93.184.215.14/new"]


def test_removing_the_endpoint_cancels_its_retries(
    task: DeliveryTask, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Removing(World):
        async def send(self, url: str, body: bytes, headers: Any, endpoint: str) -> Any:
            assert api.delete(f"/v1/webhooks/{task.endpoint_id}").status == 200
            return await super().send(url, body, headers, endpoint)

    world = Removing(answer=lambda _: 500)
    run(world, task, monkeypatch)
    assert len(world.sent) == 1
    assert delivery(task)["state"] == "cancelled"


def _require_one_whole_run(world: World, task: DeliveryTask, when: str) -> None:
    item = delivery(task)
    assert len(world.sent) <= 5, when
    assert item["state"] == "dropped", when
    assert sorted(entry["attempt"] for entry in item["attempts"]) == [1, 2, 3, 4, 5], when
    claimed = [entry["at"] for entry in sorted(item["attempts"], key=lambda entry: entry["attempt"])]
    waits = [later - earlier for earlier, later in pairwise(claimed)]
    assert all(
        wait >= least for wait, least in zip(waits, (30_000, 300_000, 1_800_000, 7_200_000), strict=True)
    ), when
