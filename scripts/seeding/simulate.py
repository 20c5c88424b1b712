"""Simulating a visitor's conversations with the product's own services, on a clock of their own.

Each visitor has a table of their own with nothing else but the organization's members, so a million messages are made
as quickly as the services run. Every item is what the product wrote; none is copied by hand. Items that time to live
would have removed by now are left out, and the fan-out's work is done: no event is waiting.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from helpdesk.agent import answers
from helpdesk.agent.answers import Answer
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import assigning, snoozes, writing
from helpdesk.conversations import service as inbox
from helpdesk.conversations.files import uploads
from helpdesk.conversations.messages import ratings
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageAccepted, MessageInput, RatingInput
from helpdesk.conversations.schemas import NoteInput, ReplyInput, SnoozeInput
from helpdesk.conversations.state import Transition
from helpdesk.customers import editing
from helpdesk.customers.schemas import FactInput
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.table import Item, from_wire
from helpdesk.webhooks.delivery import repository as deliveries
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import DeliveryId
from helpdesk.webhooks.delivery.repository import Result
from helpdesk.webhooks.record import WebhookEndpoint
from scripts.seeding import texts
from scripts.seeding.memory_table import MemoryTable
from scripts.seeding.memory_table import answering as answered_by
from scripts.seeding.plan import BETWEEN_MS, End, Planned, Visitor

_PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
_LONGEST_STEP_MS = 600_000
_CONTEXT = {
    "timeZone": "Europe/Berlin",
    "locale": "de-DE",
    "browser": "Firefox 145",
    "os": "macOS 26",
    "device": "desktop",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """The organization to seed: its members' items, the callers who answer, the endpoints of its events, and settings.

    `now` (ms) is when the newest conversation has just been held.
    """

    organization: str
    members: Sequence[dict[str, Any]]
    team: Sequence[Caller]
    endpoints: Sequence[WebhookEndpoint]
    base_url: str
    now: int
    seed: int = 1
    agent: str = "Helpdesk"


def session_of(visitor: int, seed: int) -> str:
    """Return the session token of a visitor, which opens their thread."""
    return f"seeded-visitor-{seed}-{visitor}"


def simulate(desk: Desk, visitor: Visitor) -> list[dict[str, Any]]:
    """Return the items, in wire form, that a visitor's conversations leave behind."""
    world = MemoryTable()
    world.load(desk.members)
    there = {(item["PK"]["S"], item["SK"]["S"]) for item in desk.members}
    simulation = _Simulation(desk, visitor)
    with answered_by(world), clock.frozen(lambda: simulation.us), _random_ids(simulation.random):
        simulation.run()
        simulation.deliver(world)
    return [
        item
        for item in world.items()
        if (item["PK"]["S"], item["SK"]["S"]) not in there
        and int(item.get("expiresAt", {"N": desk.now})["N"]) > desk.now // 1_000
    ]


@contextmanager
def _random_ids(random: Random) -> Iterator[None]:
    before = ids._random_bits  # noqa: SLF001 - only here are ids the same for the same seed
    ids._random_bits = random.getrandbits  # noqa: SLF001
    try:
        yield
    finally:
        ids._random_bits = before  # noqa: SLF001


class _Simulation:
    """One visitor's conversations; `us` is the present (microseconds)."""

    def __init__(self, desk: Desk, visitor: Visitor) -> None:
        self.random = Random(f"{desk.seed} life {visitor.number}")  # noqa: S311 - reproducible by its seed
        self.us = 0
        self._desk = desk
        self._visitor = visitor
        self._session = session_of(visitor.number, desk.seed)
        name, email = texts.person(self.random)
        self._identity = {"name": name, "email": email, "metadata": {"plan": "team", "seats": 12}}
        self._sends_identity = self.random.random() < 0.7
        self._step_ms = 0
        self._steps = 0

    def run(self) -> None:
        """Simulate the conversations, one after the other."""
        for number, conversation in enumerate(self._visitor.conversations):
            self._hold(conversation)
            if number == 0 and self.random.random() < 0.2:
                self._add_facts()

    def deliver(self, world: MemoryTable) -> None:
        """Do the work of fan-out and delivery for the events that still exist."""
        kept = [
            item
            for wire in world.items()
            if wire["SK"]["S"] == "EVENT" and (item := from_wire(wire))["expiresAt"] > self._desk.now // 1_000
        ]
        for item in kept:
            self._deliver(item)

    def _hold(self, planned: Planned) -> None:
        started = self._desk.now - (planned.number + 1) * BETWEEN_MS + self.random.randrange(BETWEEN_MS // 2)
        self.us = started * 1_000
        steps = planned.messages + 8
        self._step_ms = min((self._desk.now - started) // (steps + 1), _LONGEST_STEP_MS)
        written = self._write(first=True)
        conversation_id = written.conversation_id
        caller = self._desk.team[planned.assignee if planned.assignee is not None else planned.number % 5]
        with_team = planned.end in {End.WAITING, End.ANSWERED, End.SNOOZED} or (
            planned.end is not End.AGENT and (planned.assignee is not None or self.random.random() < 0.4)
        )
        if with_team:
            self._answer(written, reason="the visitor asked for a person")
        if planned.assignee is not None:
            self._pass()
            assigning.assign(caller, conversation_id, {"user_id": caller.the_person().id})
        if planned.noted:
            self._pass()
            writing.note(caller, conversation_id, NoteInput(body=texts.of_note(self.random)))
        self._talk(planned, caller, written, with_team=with_team)
        self._finish(planned, caller, conversation_id)

    def _talk(self, planned: Planned, caller: Caller, first: MessageAccepted, *, with_team: bool) -> None:
        """Let visitor and team take turns, so that the planned side writes last."""
        count, answered, newest = 1 + with_team, with_team, first
        visitor_last = planned.end is End.WAITING
        while count < planned.messages or answered is visitor_last:
            if answered:
                newest = self._write()
            elif with_team:
                self._pass()
                body = texts.of_team(self.random)
                reply = ReplyInput.model_validate({"body": body, "takeOver": True})
                writing.reply(caller, first.conversation_id, reply)
            else:
                self._answer(newest)
            answered = not answered
            count += 1

    def _finish(self, planned: Planned, caller: Caller, conversation_id: str) -> None:
        self._pass()
        if planned.end is End.SNOOZED:
            self.us = max(self.us, self._desk.now * 1_000 - 1_000_000)
            until = self._desk.now + self.random.randint(1, 7) * DAY_MS
            snoozes.snooze(caller, conversation_id, SnoozeInput(until=until))
        if planned.end not in {End.RESOLVED, End.ARCHIVED}:
            return
        inbox.transition(caller, conversation_id, Transition.RESOLVE)
        if planned.rated:
            self._pass()
            rating = {
                "session": self._session,
                "conversationId": conversation_id,
                "stars": self.random.choices((1, 2, 3, 4, 5), (8, 5, 10, 27, 50))[0],
                "note": texts.of_visitor(self.random) if self.random.random() < 0.2 else None,
            }
            ratings.rate(self._desk.organization, RatingInput.model_validate(rating))
        if planned.end is End.ARCHIVED:
            self._pass()
            inbox.transition(caller, conversation_id, Transition.ARCHIVE)

    def _write(self, *, first: bool = False) -> MessageAccepted:
        self._pass()
        sent: dict[str, Any] = {"session": self._session, "body": texts.of_visitor(self.random)}
        if self._sends_identity:
            sent["user"] = self._identity
        if first:
            sent["context"] = _CONTEXT
            sent["page"] = {"url": "https://shop.example.com/settings", "title": "Settings"}
        if self.random.random() < 0.05:
            file = uploads.upload(
                self._desk.organization, self._desk.base_url, "picture.png", "image/png", _PICTURE
            )
            sent["attachments"] = [{"id": file.id, "name": "picture.png"}]
        return messages.post(self._desk.organization, MessageInput.model_validate(sent))

    def _answer(self, written: MessageAccepted, *, reason: str | None = None) -> None:
        self._pass()
        answers.write(
            inbox.get(self._desk.organization, written.conversation_id),
            Answer(
                answering=written.message_id,
                name=self._desk.agent,
                body=texts.of_team(self.random),
                handoff_reason=reason,
            ),
        )

    def _add_facts(self) -> None:
        conversation = inbox.get(self._desk.organization, self._newest())
        for _ in range(self.random.randint(1, 3)):
            self._pass()
            fact = FactInput(text=texts.of_note(self.random))
            editing.add_fact(self._desk.team[0], conversation.customer_id, fact)

    def _newest(self) -> str:
        session = messages.history(self._desk.organization, self._session)
        return session.conversations[0].id

    def _deliver(self, item: Item) -> None:
        event = Event.from_item(item)
        for endpoint in self._desk.endpoints:
            if event.type in endpoint.events and endpoint.created_at <= event.created_at:
                self.us = (event.created_at + 700) * 1_000
                self._attempt(event, DeliveryTask.first(event, endpoint).delivery)

    def _attempt(self, event: Event, delivery: DeliveryId) -> None:
        """Make the only attempt: 98 of 100 succeed, the others are given up."""
        now = clock.now_ms()
        deliveries.claim(delivery, event, None, 1, now)
        arrived = self.random.random() < 0.98
        outcome = Outcome(200, None, 85) if arrived else Outcome(500, Failure.STATUS, 85)
        state = DeliveryState.DELIVERED if arrived else DeliveryState.DROPPED
        deliveries.record(delivery, Result(1, 1, now, outcome, state, None))

    def _pass(self) -> None:
        """Let some time pass."""
        self.us += self.random.randint(self._step_ms // 2, self._step_ms) * 1_000 + 1_000
