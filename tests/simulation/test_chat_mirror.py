"""Threads of the chat mirror whose jobs are lost, repeated and reordered: each message is there once, in order."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import OutcomeUnknown, TryLater
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import outgoing, replies
from helpdesk.integrations.slack.api import SLACK
from helpdesk.integrations.slack.worker import SlackAdapter
from helpdesk.platform import clock
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.services.chatmirror import Channel, ChatMirror, Workspace, credentials
from scripts.services.server import Services
from tests.integration.slack.conftest import (
    _deployment,
    acme,
    admin,
    connect,
    connection,
    services,
    slack,
)
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.integrations import set_app
from tests.support.people import make_person

__all__ = ["_deployment", "acme", "admin", "connect", "connection", "services", "slack"]

PATH = "/v1/integrations/chatmirror"
WORLDS = of(20, 1_000)


@pytest.fixture(autouse=True)
def memory(_deployment: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()) as memory_table:
        set_app(App.SLACK, credentials())
        yield memory_table


@pytest.fixture
def support(memory: MemoryTable, connection: Connection, admin: Client, acme: Workspace) -> Channel:
    """The channel that conversations go to, both ways."""
    SlackAdapter().on_connect(connection)
    assert admin.patch(PATH, {"channel": "support", "mode": "two_way"}).status == 200
    found = acme.named("support")
    found.members.add(acme.bot)
    return found


class World:
    """A conversation, its thread, and what is under way between them."""

    def __init__(
        self, seed: int, now: int, api: Client, account: Account, support: Channel, services: Services
    ) -> None:
        self.random = random.Random(seed)
        self.api, self.account, self.support, self.services = api, account, support, services
        self.session = f"visitor-of-the-world-{seed}"
        self.jobs = 0
        self.hooks: list[dict[str, Any]] = []
        self.conversation = self.write("Message 0")
        self.now = now

    def seconds(self) -> float:
        """Return the time of this world, which Slack has, too."""
        return self.now / 1_000_000

    def write(self, body: str) -> str:
        """Let the visitor write; its job is lost, or comes up to three times."""
        self.jobs += self.random.choice((0, 1, 1, 2, 3))
        sent = self.api.post("/v1/messages", {"session": self.session, "body": body})
        return str(sent.body["conversationId"])

    def say(self, slack: ChatMirror, workspace: Workspace, user: str, body: str) -> None:
        """Let a teammate answer in the thread; its hook is lost, or comes up to three times."""
        thread = next((each["ts"] for each in self.posts() if "thread_ts" not in each), None)
        if thread is None:
            return
        text = f"<@{workspace.bot}> {body}"
        slack.say(workspace, self.support, thread, user, text)
        hook = {
            "channel": self.support.id,
            "thread": thread,
            "message": self.support.messages[-1]["ts"],
            "user": user,
            "text": text,
            "files": 0,
        }
        self.hooks += [hook] * self.random.choice((0, 1, 2, 3))

    def step(self) -> None:
        """Let something under way happen, with troubles."""
        self.now += self.random.choice((1_000, 400_000, 1_500_000, 70_000_000))
        if self.hooks and self.random.random() < 0.5:
            hook = self.hooks.pop(self.random.randrange(len(self.hooks)))
            replies.relay_message(self.account, hook)
            self.jobs += self.random.choice((0, 1, 2))
        elif self.jobs:
            self.jobs -= 1
            self.follow(troubles=True)

    def follow(self, *, troubles: bool) -> str:
        """Do one job, which may die at any call, or whose post may get no answer."""
        at = self.random.randrange(2, 16) if troubles and self.random.random() < 0.4 else None
        if troubles and self.random.random() < 0.2:
            self.services.fail("POST", "chat.postMessage", hangs_up=True, works=self.random.random() < 0.5)
        try:
            with clock.frozen(lambda: self.now), dying(at):
                found = integrations.connections(
                    self.account.connection.organization, self.account.connection.app
                )
                return outgoing.follow(found[0], self.conversation, lambda: self.account)
        except (Died, OutcomeUnknown, TryLater) as trouble:
            return type(trouble).__name__
        finally:
            self.services.faults.clear()

    def settle(self) -> None:
        """Let the next event's jobs come, without troubles, until nothing is left."""
        done: list[str] = []
        while len(done) < 80 and "up_to_date" not in done:
            self.now += 61_000_000
            done.append(self.follow(troubles=False))
        assert done[-1] == "up_to_date", done

    def posts(self) -> list[dict[str, Any]]:
        """Return what the bot posted about the conversation, in order."""
        own = [each for each in self.support.messages if "bot_id" in each]
        first = next((each for each in own if self.conversation in str(each["text"])), None)
        return (
            []
            if first is None
            else [each for each in own if first["ts"] in (each["ts"], each.get("thread_ts"))]
        )


def test_each_visible_message_is_in_the_thread_once_and_in_order(
    api: Client,
    organization: NewOrganization,
    connection: Connection,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    services: Services,
) -> None:
    make_person(organization.organization_id, role="member", name="Mira", email="mira@example.com")
    mira = slack.person(acme, "Mira", "mira@example.com")
    account = SLACK.open(connection)
    answered = written = 0
    now = clock.now_us()  # one clock for all, as the channel's pace is one
    for seed in range(WORLDS):
        support.messages.clear()
        world = World(seed, now, api, account, support, services)
        slack.clock = world.seconds
        for number in range(1, 5):
            for _ in range(world.random.randrange(4)):
                world.step()
            if world.random.random() < 0.5:
                world.say(slack, acme, mira, f"Message {number}")
            else:
                world.write(f"Message {number}")
        while world.jobs or world.hooks:
            world.step()
        world.settle()
        now = world.now

        visible = api.get(f"/v1/conversations/{world.conversation}").body["messages"]
        wanted = [each["body"] for each in visible if each["kind"] == "message"]
        posted = [str(each["text"]).partition("\n")[2].removeprefix("&gt; ") for each in world.posts()[1:]]
        assert [each for each in posted if each.startswith("Message")] == wanted, seed
        answered += sum((each.get("agent") or {}).get("kind") == "human" for each in visible)
        written += len(wanted)
    assert answered > WORLDS // 4
    assert written > 2 * WORLDS
