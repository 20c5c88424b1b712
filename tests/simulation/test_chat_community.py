"""Questions and answers in a server while commands and jobs are lost, repeated and reordered, and the bot is removed.

Each command that arrives is one message of the visitor, and each reply of the team is in the server once, in order.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import chat
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.discord import outgoing, receiver
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.errors import Revoked, TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.webhooks import following
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.services.chatcommunity import ChatCommunity, credentials
from scripts.services.community import THREAD, Channel, Server
from scripts.services.server import Services
from tests.integration.discord.conftest import (
    _deployment,
    acme,
    admin,
    connect,
    connection,
    discord,
    services,
)
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.integrations import set_app

__all__ = ["_deployment", "acme", "admin", "connect", "connection", "discord", "services"]

WORLDS = of(8, 1_000)
CLOSED = "This conversation is closed. Use `/ask` to start another one."


@pytest.fixture(autouse=True)
def memory(_deployment: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()) as memory_table:
        set_app(App.DISCORD, credentials())
        yield memory_table


class World:
    """A person, their conversation, and what is under way between it and the server."""

    def __init__(
        self,
        seed: int,
        now: int,
        connection: Connection,
        admin: Client,
        discord: ChatCommunity,
        server: Server,
        services: Services,
    ) -> None:
        self.random, self.now, self.user = random.Random(seed), now, str(300_000_000_000 + seed)
        self.organization, self.admin = connection.organization, admin
        self.discord, self.server, self.services = discord, server, services
        self.under_way: list[Callable[[], Any]] = []
        self.asked: list[str] = []
        self.replied: list[str] = []
        self.conversation = ""

    def seconds(self) -> float:
        """Return the time of this world, which Discord has, too."""
        return self.now / 1_000_000

    def type_in(self, name: str, text: str | None = None, *, atleast: int = 0) -> None:
        """Let the person type a command, which is lost, or comes up to three times."""
        places = [self.server.named("general"), *self.server.threads()]
        headers, body = self.discord.command(
            self.server, self.random.choice(places), name, text, user=self.user
        )
        received = receiver.read(Hook(headers, body.encode()))
        data = json.loads(json.dumps(received.data))
        times = self.random.choice((atleast, 1, 1, 2, 3))
        if times and text is not None:
            self.asked.append(text)
        self.under_way += [lambda: self._take(name, data)] * times

    def reply(self, body: str) -> None:
        """Let a teammate answer; its job is lost, or comes up to three times."""
        sent = {"body": body, "takeOver": True}
        assert self.admin.post(f"/v1/conversations/{self.conversation}/reply", sent).status == 200
        self.replied.append(body)
        self.under_way += [self._event] * self.random.choice((0, 1, 1, 2, 3))

    def step(self, *, troubles: bool = True) -> None:
        """Let something that is under way happen; its worker may die, and is repeated then, now or later."""
        self.now += self.random.choice((1_000, 1_500_000, 1_500_000, 5_000_000, 70_000_000, 400_000_000))
        if troubles and self.random.random() < 0.1:
            self.server.has_bot = not self.server.has_bot
        if not self.under_way:
            return
        work = self.under_way.pop(self.random.randrange(len(self.under_way)))
        # A reply dies about where it has been posted and that is not yet noted, a command anywhere.
        begin, end = (13, 19) if work == self._event else (2, 24)
        at = self.random.randrange(begin, end) if troubles and self.random.random() < 0.6 else None
        if troubles and self.random.random() < 0.4:
            self.services.fail("POST", "/messages", hangs_up=True, works=self.random.random() < 0.5)
        try:
            with clock.frozen(lambda: self.now), dying(at):
                work()
        except (Died, TryLater):
            self.under_way.append(work)
        finally:
            self.services.faults.clear()

    def follow(self) -> str:
        """Do the job of an event of the conversation."""
        job = following.job(self.organization, App.DISCORD, self.conversation)
        return DiscordAdapter().run(job, clock.now_ms() + 60_000)

    def settle(self) -> None:
        """Let what is under way happen, the bot come back, and the night."""
        while self.under_way:
            self.step()
        self.server.has_bot = True
        with clock.frozen(lambda: self.now):
            DiscordAdapter().on_connect(self._current())
            DiscordAdapter().run(chat.catch_up_job(self.organization, App.DISCORD), clock.now_ms() + 60_000)
            assert self._current().status is ConnectionStatus.CONNECTED
        done: list[str] = []
        while "up_to_date" not in done:
            assert len(done) < 60, done
            self.now += 61_000_000
            with clock.frozen(lambda: self.now):
                done.append(self.follow())

    def messages(self) -> list[str]:
        """Return what the bot said in the server, in order."""
        every = [each for channel in self.server.channels.values() for each in channel.messages]
        return [each["content"] for each in sorted(every, key=lambda each: int(each["id"]))]

    def _event(self) -> None:
        if "waits" in self.follow():  # for the channel's pace, with a job that comes then
            self.under_way.append(self._event)

    def _take(self, name: str, data: dict[str, Any]) -> None:
        current = self._current()
        try:
            DiscordAdapter().handle_webhook(current, name, data)
        except Revoked as problem:
            integrations.mark_broken(current, str(problem))

    def _current(self) -> Connection:
        return integrations.connection(self.organization, App.DISCORD)


def test_each_question_is_asked_once_and_each_reply_is_there_once_and_in_order(
    api: Client,
    admin: Client,
    connection: Connection,
    discord: ChatCommunity,
    acme: Server,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outgoing, "LOOK_AFTER_MS", 60_000)
    now, removed, answered, threads = clock.now_us(), 0, 0, 0
    for seed in range(WORLDS):
        acme.has_bot = True
        empty(acme)
        world = World(seed, now, connection, admin, discord, acme, services)
        discord.clock = world.seconds
        world.type_in("ask", "Question 0", atleast=1)
        while world.under_way:
            world.step(troubles=False)
        world.conversation = str(api.get("/v1/conversations").body["conversations"][0]["id"])
        for number in range(1, 6):
            for _ in range(world.random.randrange(4)):
                world.step()
                removed += not acme.has_bot
            if world.random.random() < 0.5:
                world.type_in("ask", f"Question {number}")
            else:
                world.reply(f"Reply {number}")
        world.settle()
        if closes := world.random.random() < 0.5:
            world.type_in("close", atleast=1)
            world.settle()

        found = api.get(f"/v1/conversations/{world.conversation}").body
        asked = [
            each["body"] for each in found["messages"] if each["kind"] == "message" and not each["agent"]
        ]
        assert sorted(asked) == sorted(world.asked), seed
        said = [each.rpartition("\n")[2] for each in world.messages()]
        assert [each for each in said if each.startswith("Reply")] == world.replied, seed
        assert said.count(CLOSED) == (found["conversation"]["status"] == "resolved"), seed
        assert not closes or found["conversation"]["status"] == "resolved", seed
        now, answered, threads = world.now, answered + len(world.replied), threads + bool(acme.threads())
    assert removed > WORLDS // 4
    assert answered > WORLDS
    assert threads > WORLDS // 2


def empty(server: Server) -> None:
    """Let the next world be alone in the server."""
    for channel in [each for each in server.channels.values() if each.type == THREAD]:
        del server.channels[channel.id]
    for channel in server.channels.values():
        clear(channel)


def clear(channel: Channel) -> None:
    """Forget what was said."""
    channel.messages.clear()
