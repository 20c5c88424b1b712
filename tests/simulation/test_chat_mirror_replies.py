"""What teammates write and press in a thread, with hooks that are lost, repeated, late and in any other order.

Nothing reaches the customer that was written before its writer took over and mentions nobody, and no reply goes before
an earlier one.
"""

import random
from collections.abc import Mapping
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import outgoing, receiver, speaking, threads
from helpdesk.integrations.slack.api import SLACK
from helpdesk.integrations.slack.clicks import handle_click
from helpdesk.integrations.slack.replies import LOOK_BACK_SECONDS, relay_message
from helpdesk.platform import clock
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from tests.simulation.test_chat_mirror import (
    _deployment,
    acme,
    admin,
    connect,
    connection,
    memory,
    services,
    slack,
    support,
)
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.people import make_person

__all__ = ["_deployment", "acme", "admin", "connect", "connection", "memory", "services", "slack", "support"]

WORLDS = of(12, 300)
STEPS = 30


class World:
    """A thread in which two members and a stranger write and press, and what is under way from it."""

    def __init__(
        self, seed: int, now: int, api: Client, account: Account, slack: ChatMirror, support: Channel
    ) -> None:
        self.random = random.Random(seed)
        self.api, self.account, self.slack, self.support = api, account, slack, support
        self.now = now
        slack.clock = lambda: self.now / 1_000_000
        self.deaths = self.random.random() < 0.5
        self.under_way: list[Mapping[str, Any]] = []
        self.written: dict[str, Mapping[str, Any]] = {}
        self.lost: set[str] = set()
        self.clicks: list[Mapping[str, Any]] = []
        session = f"visitor-of-the-world-{seed}"
        sent = api.post("/v1/messages", {"session": session, "body": "Hello"})
        self.conversation = str(sent.body["conversationId"])
        with clock.frozen(lambda: self.now):
            outgoing.follow(account.connection, self.conversation, lambda: account)
        self.thread = next(each["ts"] for each in support.messages if self.conversation in each["text"])
        self.place = threads.Place(account.connection.organization, account.connection.account_id, support.id)

    def write(self, user: str, *, mention: bool) -> None:
        """Let somebody write in the thread; its hook is lost, or comes up to three times."""
        bot = self.account.connection.details["bot"]
        text = f"{f'<@{bot}> ' if mention else ''}Message {len(self.written)}"
        message = {"type": "message", "user": user, "text": text, "ts": self.slack.ts()}
        self.support.messages.append({**message, "thread_ts": self.thread})
        job = receiver.in_thread(self.support.id, self.support.messages[-1])
        assert job is not None
        self.written[f"Message {len(self.written)}"] = job
        copies = self.random.choice((0, 1, 1, 2, 3))
        if not copies:
            self.lost.add(job["message"])
        self.under_way += [job] * copies

    def press(self, user: str) -> None:
        """Let somebody press Take over; that is lost, or comes up to three times."""
        at = self.slack.ts()
        job = {
            "click": f"{at}.{user}",
            "action": "take_over",
            "value": self.conversation,
            "user": user,
            "at": at,
        }
        job |= {"channel": self.support.id, "message": self.thread, "thread": self.thread}
        self.clicks.append(job)
        self.under_way += [job] * self.random.choice((0, 1, 1, 2))

    def work(self) -> None:
        """Do any one job that is under way, and look at what it sent."""
        job = self.under_way.pop(self.random.randrange(len(self.under_way)))
        take = handle_click if "click" in job else relay_message
        before = self.sent()
        at = self.random.randrange(2, 24) if self.deaths and self.random.random() < 0.3 else None
        try:
            with clock.frozen(lambda: self.now), dying(at):
                take(self.account, job)
        except TryLater:
            self.under_way.append(job)
        except Died:
            self.under_way.append(job)
            self.now += 61_000_000  # the queue gives it to another worker after minutes
        new = [self.written[each]["message"] for each in self.sent()[len(before) :]]
        assert new == sorted(new)
        if new:
            assert self.left_before(new[-1]) == []

    def sent(self) -> list[str]:
        """Return what people wrote to the customer."""
        with clock.frozen(lambda: self.now):
            found = self.api.get(f"/v1/conversations/{self.conversation}").body["messages"]
        return [each["body"] for each in found if (each.get("agent") or {}).get("kind") == "human"]

    def held(self) -> list[str]:
        """Return what is a reply by the take-over that holds at the end and was neither sent nor refused.

        Without those whose hook was lost.
        """
        taken = threads.takeover_of(*self.place, self.thread)
        found = conversations.find(self.place.organization, self.conversation)
        if taken is None or not speaking.takeover_is_valid(taken, found):
            return []
        covered = [
            each["message"] for each in self.written.values() if taken.covers(each["user"], each["message"])
        ]
        settled = threads.settled(self.place, covered)
        return [each for each in covered if each not in settled and each not in self.lost]

    def left_before(self, message: str) -> list[str]:
        """Return the replies shortly before a message that were neither sent nor refused, as far as is known now."""
        taken = threads.takeover_of(*self.place, self.thread)
        found = conversations.find(self.place.organization, self.conversation)
        holds = taken is not None and speaking.takeover_is_valid(taken, found)
        earlier = {
            text: each
            for text, each in self.written.items()
            if float(message) - LOOK_BACK_SECONDS < float(each["message"]) < float(message)
        }
        settled = threads.settled(self.place, [each["message"] for each in earlier.values()])
        return [
            text
            for text, each in earlier.items()
            if each["message"] not in settled
            and (
                each["text"].startswith("<@")
                or (taken is not None and holds and taken.covers(each["user"], each["message"]))
            )
        ]

    def settle(self) -> None:
        """Let everything that is under way come to its end."""
        self.deaths = False
        while self.under_way:
            self.now += 5_000_000
            self.work()


def test_replies_go_in_order_and_nothing_goes_that_was_written_before_a_take_over(
    api: Client,
    admin: Client,
    organization: NewOrganization,
    connection: Connection,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
) -> None:
    people = [slack.person(acme, "Sam", "sam@example.com")]
    for name in ("Mira", "Noor"):
        email = f"{name.casefold()}@example.com"
        make_person(organization.organization_id, role="member", name=name, email=email)
        people.append(slack.person(acme, name, email))
    stranger, *members = people
    account = SLACK.open(connection)
    now, sent, held, talk = clock.now_us(), 0, 0, 0
    for seed in range(WORLDS):
        support.messages.clear()
        support.ephemeral.clear()
        world = World(seed, now, api, account, slack, support)
        with_deaths = world.deaths
        for _ in range(STEPS):
            world.now += world.random.choice((1_000, 300_000, 1_500_000, 4_000_000, 4_000_000, 200_000_000))
            what = world.random.random()
            if what < 0.08:
                world.press(world.random.choice(members))
            elif what < 0.11:
                admin.post(f"/v1/conversations/{world.conversation}/hand-back")
            elif what < 0.5:
                world.write(
                    world.random.choice([*members, *members, stranger]), mention=world.random.random() < 0.4
                )
            elif world.under_way:
                world.work()
        world.settle()
        now = world.now

        replies = world.sent()
        assert len(replies) == len(set(replies)), seed
        for text in replies:
            reply = world.written[text]
            own = [
                each
                for each in world.clicks
                if each["user"] == reply["user"] and each["at"] < reply["message"]
            ]
            assert reply["text"].startswith("<@") or own, (seed, text)
            held += not reply["text"].startswith("<@")
        mentioned = {
            text
            for text, each in world.written.items()
            if each["text"].startswith("<@")
            and each["message"] not in world.lost
            and each["user"] != stranger
        }
        assert mentioned <= set(replies), seed
        assert world.held() == [], seed
        refused = [each for each in world.written.values() if each["user"] == stranger]
        hinted = threads.settled(world.place, [each["message"] for each in refused])
        assert not any(hinted.values()), seed
        if not with_deaths:
            assert sum(each["user"] == stranger for each in support.ephemeral) == len(hinted), seed
        sent += len(replies)
        talk += len(world.written) - len(replies)
    assert min(sent, talk) > WORLDS
    assert held > WORLDS // 4
