"""The real schedule at full length in thousands of worlds, each with troubles of its own.

Table, queue, receiver and clock are in memory; what decides is the product's code. In each world workers die at random
steps, and messages are delivered twice at once and in any order. HELPDESK_SEEDS=10000 runs as many worlds as that.
"""

import asyncio
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from random import Random
from typing import Any

import pytest

from helpdesk.accounts.secret_keys.record import KeySecret
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clients, clock, settings
from helpdesk.platform.logging import logger
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.webhooks.delivery import repository
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import DeliveryId
from helpdesk.webhooks.delivery.repository import ContextKeys, Result
from helpdesk.webhooks.record import WebhookEndpoint
from tests.simulation.memory import MemoryTable
from tests.simulation.world import START_MS, VISIBILITY_MS, Message, WorkerDied, World, first_task
from tests.support import effort

SEEDS = int(os.environ.get("HELPDESK_SEEDS", effort.of(400, 10_000)))
DELIVERY = DeliveryId("org_1", "wh_1", "evt_" + "0" * 32)
EVENT = Event(
    organization="org_1",
    id=DELIVERY.event_id,
    type="message.created",
    created_at=START_MS,
    data='{"text":"grüße"}',
)
TASK = DeliveryTask("org_1", "wh_1", DELIVERY.event_id, "key_1", 1, START_MS)
LEAST_WAITS = (30_000, 300_000, 1_800_000, 7_200_000)
MOST_MESSAGES = 2_000


@dataclass
class QuickWorld(World):
    """A world in memory."""

    random: Random = field(default_factory=Random)
    memory: MemoryTable = field(default_factory=MemoryTable)

    def state(self) -> Item:
        """Return the delivery."""
        return self.memory.items[DELIVERY.key.pk, DELIVERY.key.sk]

    def live(self, duplicates: float) -> None:
        """Go on until no message is left."""
        for _ in range(MOST_MESSAGES):
            if not self.messages:
                return
            self.now_ms = max(self.now_ms, min(message.visible_at for message in self.messages))
            visible = [message for message in self.messages if message.visible_at <= self.now_ms]
            self._handle_one(self.random.choice(visible), duplicates)
        raise AssertionError("the world does not come to rest")

    def _handle_one(self, message: Message, duplicates: float) -> None:
        message.visible_at = self.now_ms + VISIBILITY_MS
        task = DeliveryTask.from_json(message.body)
        copies = 2 if self.random.random() < duplicates else 1
        running = [self._begun(task) for _ in range(copies)]
        try:
            while running:
                chosen = self.random.choice(running)
                try:
                    chosen.send(None)
                except StopIteration:
                    running.remove(chosen)
            self.step()
        except WorkerDied:
            for each in running:
                each.close()
            return
        self.messages.remove(message)

    async def _begun(self, task: DeliveryTask) -> None:
        keys = ContextKeys.of(task.delivery, task.key_id)
        await _Yield()
        await deliveries.handle_one(task, repository.context_of(keys, repository.load([keys])), self)


@dataclass
class _Yield:
    """An awaitable at which another copy may go on."""

    def __await__(self) -> Generator[None]:
        yield


@contextmanager
def living_in(world: QuickWorld, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the world take the place of AWS."""

    def stepping(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            world.step()
            answer = function(*arguments, **named)
            world.step()
            return answer

        return called

    async def inline(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        await _Yield()
        return function(*arguments, **named)

    for name in ("get_many", "put_new", "update"):
        patch.setattr(table, name, stepping(getattr(world.memory, name)))
    patch.setattr(clients, "sqs", lambda: world)
    patch.setattr(asyncio, "to_thread", inline)
    patch.setattr(logger, "warning", lambda *_, **__: None)
    with clock.frozen(lambda: world.now_ms * 1000):
        yield


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RETRY_DELAYS_SECONDS", "30,300,1800,7200")
    settings.settings.cache_clear()
    yield
    settings.settings.cache_clear()


def furnish(memory: MemoryTable) -> None:
    """Put into a table what one attempt reads."""
    endpoint = {
        "id": "wh_1",
        "url": "https://93.184.215.14/",
        "events": ["message.created"],
        "keyId": "key_1",
        "createdAt": 1,
        "lastDeliveryAt": None,
        "lastFailureAt": None,
        "failingSince": None,
        "secretCreatedAt": None,
    }
    for key, item in (
        (WebhookEndpoint.key_for("org_1", "wh_1"), endpoint),
        (EVENT.key, EVENT.to_item()),
        (KeySecret.key_for("org_1", "key_1"), {"webhooks": "00" * 32, "tools": "00" * 32}),
    ):
        memory.put_new(key.attributes() | item)


def live(seed: int, monkeypatch: pytest.MonkeyPatch) -> QuickWorld:
    """Let one world live; what goes wrong in it and when the receiver answers is the seed's."""
    random = Random(seed)
    succeeds_at = random.choice((1, 2, 3, 4, 5, 99, 99, 99))
    world = QuickWorld(
        answer=lambda request: 200 if request >= succeeds_at else 500,
        deaths=frozenset(random.sample(range(1, 150), k=random.randint(0, 8))),
        random=random,
    )
    furnish(world.memory)
    with monkeypatch.context() as patch, living_in(world, patch):
        for _ in range(random.choice((1, 1, 2))):  # the stream may bring an event twice
            first_task(TASK, world)
        world.live(duplicates=random.choice((0.0, 0.3)))
    return world


def require_one_run(world: QuickWorld, seed: int) -> None:
    item = world.state()
    numbers = [entry["attempt"] for entry in item["attempts"]]
    assert len(world.sent) <= 5, seed
    assert item["made"] <= 5, seed
    assert numbers == list(range(1, len(numbers) + 1)), (seed, numbers)
    if item["state"] == "dropped":
        assert len(numbers) == 5, seed
    else:
        assert item["state"] == "delivered", seed
        assert item["attempts"][-1]["error"] is None, seed
    assert len({body for _, body, _ in world.sent}) <= 1, seed
    begun = [entry["at"] for entry in item["attempts"]]
    waits = [later - earlier for earlier, later in pairwise(begun)]
    assert all(wait >= least for wait, least in zip(waits, LEAST_WAITS, strict=False)), (seed, waits)


def test_in_every_world_there_is_one_run_of_at_most_five_attempts_that_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = {"interrupted": 0, "delivered": 0, "dropped": 0}
    for seed in range(SEEDS):
        world = live(seed, monkeypatch)
        require_one_run(world, seed)
        seen["interrupted"] += any(each["error"] == "interrupted" for each in world.state()["attempts"])
        seen[world.state()["state"]] += 1
    # That the worlds had the troubles that they are for.
    assert min(seen.values()) > SEEDS // 20, seen


def _writes() -> list[Callable[[Random], object]]:
    """Return the writes of a delivery, each with arguments that a seed decides."""
    states = list(DeliveryState)[:3]

    def result(random: Random) -> Result:
        good = random.random() < 0.3
        outcome = Outcome(200 if good else 500, None if good else Failure.STATUS, 5)
        state = DeliveryState.DELIVERED if good else random.choice(states)
        due = START_MS + 1 if state is DeliveryState.PENDING else None
        return Result(1, random.randint(1, 3), START_MS, outcome, state, due)

    def seen(random: Random) -> Progress:
        made = random.randint(0, 3)
        until = random.choice((0, START_MS + CLAIM_MS))
        return Progress(DeliveryState.PENDING, made, random.random() < 0.5, until)

    return [
        lambda random: repository.claim(DELIVERY, EVENT, seen(random), random.randint(1, 3), START_MS),
        lambda _: repository.claim(DELIVERY, EVENT, None, 1, START_MS),
        lambda random: repository.record(DELIVERY, result(random)),
        lambda random: repository.record_interrupted(DELIVERY, seen(random), DeliveryState.PENDING, START_MS),
        lambda random: repository.cancel(DELIVERY) if random.random() < 0.1 else None,
    ]


@pytest.mark.usefixtures("aws")
def test_the_table_in_memory_behaves_like_moto(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0
    for seed in range(25):
        memory, results = MemoryTable(), []
        clean = table.get_many([DELIVERY.key])
        if clean:
            table.delete(DELIVERY.key)
        for where in ("moto", "memory"):
            random, outcomes = Random(seed), []
            tokens = count()
            with monkeypatch.context() as patch, clock.frozen(lambda: START_MS * 1000):
                patch.setattr(repository, "_new_token", lambda: str(next(tokens)))  # noqa: B023 - called in this turn only
                if where == "memory":
                    for name in ("put_new", "update", "get_many"):
                        patch.setattr(table, name, getattr(memory, name))
                repository.claim(DELIVERY, EVENT, None, 1, START_MS)
                for _ in range(30):
                    try:
                        random.choice(_writes())(random)
                        outcomes.append("")
                    except (repository.ClaimLost, ConditionFailed) as refused:
                        outcomes.append(type(refused).__name__)
                item = table.get_many([DELIVERY.key])[DELIVERY.key]
            results.append((outcomes, item))
        assert results[0] == results[1], seed
        taken += len(results[0][1]["attempts"])
    assert taken > 10
