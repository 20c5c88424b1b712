"""Signals and issues that move at once, while hooks and jobs are lost, repeated and reordered and workers die.

After the next nightly look there is one issue, and both are where the last person moved either of them.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.linear import receiver, repository, status_sync, worker
from helpdesk.integrations.linear.api import LINEAR
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.storage.retrying import Conflict
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.services.server import Services
from scripts.services.tracker import Tracker, Workspace, credentials
from tests.integration.linear.conftest import (
    _deployment,
    acme,
    admin,
    connect,
    connection,
    linear,
    services,
)
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.integrations import set_app

__all__ = ["_deployment", "acme", "admin", "connect", "connection", "linear", "services"]

WORLDS = of(12, 1_000)
STATUS_OF = {
    "Backlog": "open",
    "Todo": "planned",
    "In Progress": "in progress",
    "In Review": "in review",
    "Done": "done",
    "Canceled": "declined",
}
STATE_OF = {status: state for state, status in STATUS_OF.items()}


@pytest.fixture(autouse=True)
def memory(_deployment: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()) as memory_table:
        set_app(App.LINEAR, credentials())
        yield memory_table


class World:
    """A signal, its issue, and what is under way between them."""

    def __init__(
        self, seed: int, now: int, api: Client, account: Account, linear: Tracker, acme: Workspace
    ) -> None:
        self.random = random.Random(seed)
        self.now = now
        self.api, self.account, self.linear, self.acme = api, account, linear, acme
        self.under_way: list[Callable[[], Any]] = []
        with clock.frozen(lambda: self.now):
            filed = api.post("/v1/signals", {"kind": "bug", "title": f"The export of world {seed} stops"})
        self.signal = str(filed.body["id"])
        self.status = "open"
        # Where nobody has moved yet: a signal that is moved away and back before a worker sees it has not moved for it.
        self.left = self.random.sample(sorted(set(STATE_OF) - {"open"}), k=5)
        self._job(filed=True, atleast=1)

    def seconds(self) -> float:
        """Return the time of this world, which Linear has, too."""
        return self.now / 1_000_000

    @property
    def identifier(self) -> str | None:
        """What the signal's issue is called."""
        with clock.frozen(lambda: self.now):
            tracker = self.api.get(f"/v1/signals/{self.signal}").body["signal"]["tracker"]
        return None if tracker is None else str(tracker["identifier"])

    def move_signal(self) -> None:
        """Let a person move the signal."""
        self.now += 2_000_000
        self.status = self.left.pop()
        with clock.frozen(lambda: self.now):
            self.api.patch(f"/v1/signals/{self.signal}", {"status": self.status})
        self._job(filed=False)

    def edit_signal(self) -> None:
        """Let a person change something else about the signal, which is no move."""
        self.now += 2_000_000
        with clock.frozen(lambda: self.now):
            priority = self.random.choice(("urgent", "high", "low"))
            self.api.patch(f"/v1/signals/{self.signal}", {"priority": priority})

    def move_issue(self) -> None:
        """Let a person move the issue, which may be there before the signal has it."""
        if not self.acme.issues:
            return
        [issue] = self.acme.issues.values()
        self.now += 2_000_000
        self.status = self.left.pop()
        state = STATE_OF[self.status]
        headers, body = self.linear.move(self.acme, issue["identifier"], state)
        received = receiver.read(Hook(headers, body.encode()))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            self.under_way.append(lambda: status_sync.handle_change(self.account.connection, received.data))

    def _job(self, *, filed: bool, atleast: int = 0) -> None:
        organization = self.account.connection.organization
        for _ in range(self.random.choice((atleast, 1, 1, 2))):
            self.under_way.append(lambda: LinearAdapter().on_signal(organization, self.signal, filed=filed))

    def step(self, services: Services, *, troubles: bool = True) -> None:
        """Let something that is under way happen; its worker may die, and is repeated then, now or later."""
        if not self.under_way:
            return
        self.now += self.random.choice((1_000, 300_000))
        work = self.under_way.pop(self.random.randrange(len(self.under_way)))
        at = self.random.randrange(2, 24) if troubles and self.random.random() < 0.4 else None
        if troubles and self.random.random() < 0.2:
            services.fail("POST", "/graphql", hangs_up=True, works=self.random.random() < 0.5)
        try:
            with clock.frozen(lambda: self.now), dying(at):
                work()
        except (Died, TryLater, Conflict):
            self.under_way.append(work)
        finally:
            services.faults.clear()

    def look(self) -> None:
        """Let the nightly look come, without troubles."""
        self.now += 3_600_000_000
        with clock.frozen(lambda: self.now):
            for _ in range(3):
                worker._check(self.account.connection, {}, clock.now_ms() + 1_000)
                LinearAdapter().on_signal(self.account.connection.organization, self.signal, filed=False)


def test_after_the_look_both_are_where_the_last_person_moved_either(
    api: Client, admin: Client, connection: Connection, linear: Tracker, acme: Workspace, services: Services
) -> None:
    assert admin.patch("/v1/integrations/tracker", {"team": "ENG", "autoCreate": True}).status == 200
    account = LINEAR.open(connection)
    now, moved = clock.now_us(), 0
    for seed in range(WORLDS):
        acme.issues.clear()
        world = World(seed, now, api, account, linear, acme)
        linear.clock = world.seconds
        while world.left:
            for _ in range(world.random.randrange(4)):
                world.step(services)
            world.move_signal() if world.random.random() < 0.5 else world.move_issue()
            if world.random.random() < 0.3:
                world.edit_signal()
        while world.under_way:
            world.step(services)
        world.look()

        [issue] = acme.issues.values()
        with clock.frozen(partial(int, world.now)):
            shown = api.get(f"/v1/signals/{world.signal}").body["signal"]
        assert shown["tracker"]["identifier"] == issue["identifier"], seed
        assert (shown["status"], issue["state"]["name"]) == (world.status, STATE_OF[world.status]), seed
        moved += world.status != "open"
        now = world.now
        _forget(connection, issue["id"])
    assert moved > WORLDS // 2


def _forget(connection: Connection, issue_id: str) -> None:
    """Let the next world be alone."""
    found = repository.issue(connection.organization, connection.account_id, issue_id)
    if found is not None:
        repository.forget(found)
