"""Redelivery while everything else goes wrong: one run at a time, and at most five attempts in each."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from helpdesk.events.outbox import Job, QueuedJob, job_item
from helpdesk.outbound.outcome import Outcome
from helpdesk.storage import table
from helpdesk.webhooks.delivery import service as history
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from helpdesk.webhooks.errors import DeliveryInProgress
from tests.simulation.test_delivery_run import delivery, reset, task
from tests.simulation.world import Message, WorkerDied, World, first_task, simulated
from tests.support import effort

__all__ = ["task"]  # the fixture: a delivery that is created and has no attempt yet

SECOND, HOUR = 1_000, 3_600_000


@dataclass
class Redelivering(World):
    """A world in which someone asks for a redelivery at given steps, in the middle of whatever else goes on."""

    task: DeliveryTask | None = None
    redeliver_at: frozenset[int] = frozenset()
    copies: int = 1
    answered: list[str] = field(default_factory=list)
    sent_by_run: Counter[int] = field(default_factory=Counter)
    outbox: list[QueuedJob] = field(default_factory=list)
    begun: int = 0
    _asking: bool = False
    _handled: DeliveryTask | None = None

    def step(self) -> None:
        super().step()
        if self.steps in self.redeliver_at and not self._asking:
            self.redeliver()

    def redeliver(self) -> None:
        """Ask for a redelivery, as another process does; then let the stream bring what the outbox holds."""
        assert self.task is not None
        self._asking = True
        try:
            with patch.object(history, "job_item", self._noted):
                history.redeliver(self.task.organization, self.task.endpoint_id, self.task.event_id)
            self.answered.append("ok")
        except DeliveryInProgress:
            self.answered.append("in progress")
        except WorkerDied:
            self.answered.append("died")
        finally:
            self._stream()
            self._asking = False

    def _noted(self, organization: str, job: Job) -> QueuedJob:
        item = job_item(organization, job)
        self.outbox.append(item)
        return item

    def _stream(self) -> None:
        """Bring what was written; what was meant to be written and was not is in no stream."""
        deaths, steps, self.deaths = self.deaths, self.steps, frozenset()
        for item in self.outbox:
            if table.get(QueuedJob.key_for(item.organization, item.id)) is not None:
                (job,) = item.jobs
                task = DeliveryTask(**job.body)
                self.begun += task.run > 1  # before the first attempt, it asks for that once more
                self.messages += [Message(task.to_json(), self.now_ms) for _ in range(self.copies)]
        self.outbox.clear()
        self.deaths, self.steps = deaths, steps

    async def _handle(self, body: str, copies: int) -> None:
        self._handled = DeliveryTask.from_json(body)
        await super()._handle(body, copies)

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], endpoint: str) -> Outcome:
        assert self._handled is not None
        self.sent_by_run[self._handled.run] += 1
        assert max(self.sent_by_run) == self._handled.run, "an older run sends beside a newer one"
        return await super().send(url, body, headers, endpoint)


def run(world: Redelivering, task: DeliveryTask, monkeypatch: pytest.MonkeyPatch, **how: Any) -> None:
    world.task = task
    with simulated(world, monkeypatch):
        first_task(task, world)
        world.run(**how)


def require_whole_runs(world: Redelivering, task: DeliveryTask, when: str) -> None:
    item = delivery(task)
    assert item["run"] == 1 + world.begun, when
    assert item["state"] == "dropped", when
    assert all(count <= 5 for count in world.sent_by_run.values()), (when, world.sent_by_run)
    # The last run ran to its end, whatever became of those before.
    assert sorted(entry["attempt"] for entry in item["attempts"][-5:]) == [1, 2, 3, 4, 5], when


def test_a_redelivery_after_the_fifth_failure_makes_five_attempts_more_with_the_same_body(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Redelivering(answer=lambda _: 500)
    run(world, task, monkeypatch)
    with simulated(world, monkeypatch):
        world.now_ms += HOUR
        asked_at = world.now_ms
        world.redeliver()
        world.run()
    assert world.answered == ["ok"]
    assert world.sent_by_run == {1: 5, 2: 5}
    assert len({body for _, body, _ in world.sent}) == 1
    assert [at - asked_at for at, _, _ in world.sent[5:7]] == [0, 30 * SECOND + 200]
    assert [entry["attempt"] for entry in delivery(task)["attempts"]] == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]


def test_a_redelivery_replaces_a_pending_retry(task: DeliveryTask, monkeypatch: pytest.MonkeyPatch) -> None:
    world = Redelivering(answer=lambda _: 500)
    world.task = task
    with simulated(world, monkeypatch):
        first_task(task, world)
        with pytest.raises(AssertionError, match="1 messages still go round"):
            world.run(most=1)
        world.redeliver()
        world.run()
    assert world.answered == ["ok"]
    assert world.sent_by_run == {1: 1, 2: 5}
    assert world.sent[1][0] == world.sent[0][0] + 200  # as soon as the first was over


def test_whenever_a_redelivery_is_requested_there_is_one_run_at_a_time(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = World(answer=lambda _: 500)
    with simulated(undisturbed, monkeypatch):
        first_task(task, undisturbed)
        undisturbed.run()
    assert undisturbed.steps > 60
    answers: Counter[str] = Counter()
    for step in range(1, undisturbed.steps + 1, 2):
        reset(task)
        world = Redelivering(answer=lambda _: 500, redeliver_at=frozenset({step}))
        run(world, task, monkeypatch)
        require_whole_runs(world, task, f"asked at step {step}")
        answers.update(world.answered)
    assert answers["ok"] > 10
    assert answers["in progress"] > 5


@pytest.mark.parametrize("seed", range(effort.of(4, 8)))
def test_deaths_duplicates_and_many_redeliveries_together_leave_one_run_at_a_time(
    seed: int, task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    world = Redelivering(
        answer=lambda _: 500,
        deaths=frozenset(random.sample(range(1, 160), k=random.randint(0, 6))),
        redeliver_at=frozenset(random.sample(range(1, 120), k=random.randint(1, 4))),
        copies=random.randint(1, 3),
    )
    run(world, task, monkeypatch, random=random, duplicates=0.4)
    require_whole_runs(world, task, f"seed {seed}")


def test_a_redelivery_whose_caller_dies_at_any_step_starts_completely_or_not_at_all(
    task: DeliveryTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for death in range(1, 8):
        reset(task)
        world = Redelivering(answer=lambda _: 500)
        run(world, task, monkeypatch)
        with simulated(world, monkeypatch):
            world.deaths = frozenset({world.steps + death})
            world.redeliver()
            world.run()
        item = table.get(Delivery.key_for(task.organization, task.endpoint_id, task.event_id))
        assert item is not None
        begun = world.begun
        assert world.sent_by_run == ({1: 5} if begun == 0 else {1: 5, 2: 5}), death
        assert (item["run"], item["state"]) == (1 + begun, "dropped"), death
