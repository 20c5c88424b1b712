"""No visitor's message is left to nobody, whatever happens to its conversation at the same moment.

Two pieces of work meet in an order drawn by a seed (tests/support/interleaving.py), often with a visitor's message and
the agent's worker beside them. Over all seeds every pair of transitions and writers meets. Then the agent's queue is
worked off. At the end each message of the visitor has an answer or a hand-off after it, a person handles its
conversation, or a person has resolved or archived it.
"""

import contextlib
import os
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import pytest

from helpdesk.accounts.members.record import Member
from helpdesk.agent import auto_resolve
from helpdesk.agent.answerer import Goodbye, HandOff, Outcome, Prepared, Reply
from helpdesk.agent.reasons import Reason
from helpdesk.agent_runs import worker as agent
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations import assigning, repository, service, snoozes, writing
from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import NoteInput, ReplyInput, SnoozeInput
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.conversations.state import Handler, Status, Transition
from helpdesk.storage import table
from tests.support import effort
from tests.support import table as whole_table
from tests.support.interleaving import interleaved

ORDERS = int(os.environ.get("INTERLEAVINGS", effort.of(180, 2_000)))
"""How many orders one run of the suite tries; more with the environment variable."""
BATCHES = 8
SESSION = "session-of-a-question"
ORGANIZATION = "org_1"
MAX = Caller(ORGANIZATION, person=Person("usr_1", "Max", Role.MEMBER))
ADA = "usr_2"
SNOOZE_ENDED = 1_700_000_000_000

WORK = (
    *("message", "reply", "reply taking over", "reply reopening", "note"),
    *("hand-back", "take-over", "resolve", "reopen", "archive", "unarchive"),
    *("snooze", "end snooze", "wake", "assign", "unassign"),
    *("agent", "auto-resolve"),
)
PAIRS = list(combinations_with_replacement(WORK, 2))
# What happened before, each step alone; the agent works when it says so.
HISTORIES = (
    ["message"],
    ["message", "message"],
    ["message", "agent"],
    ["message", "agent", "take-over"],
    ["message", "take-over"],
    ["message", "take-over", "agent"],
    ["message", "take-over", "agent", "message"],
    ["message", "take-over", "agent", "message", "snooze"],
    ["message", "take-over", "reply", "agent"],
    ["message", "take-over", "reply", "hand-back", "agent"],
    ["message", "snooze"],
    ["message", "resolve", "agent"],
    ["message", "take-over", "agent", "message", "resolve"],
    ["message", "archive", "agent"],
    ["message", "take-over", "agent", "message", "archive"],
    ["message", "agent", "resolve"],
)
DECISIONS: tuple[Reply | HandOff | Goodbye, ...] = (
    Reply("Here."),
    HandOff(Reason.NOTHING_FOUND),
    Goodbye("Goodbye."),
)
WRITTEN = {Outcome.ANSWERED, Outcome.HANDED_OFF, Outcome.RESOLVED}


@dataclass
class Desk:
    """A visitor, the team and the agent, whose queue holds each job until the agent is done with it.

    `known` holds the visitor's messages that the author of an answer or a hand-off knew, or that a person's reply
    follows in the order of the writes.
    """

    decision: Reply | HandOff | Goodbye
    conversation_id: str = ""
    done: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    _here: threading.local = field(default_factory=threading.local)

    def work(self, name: str) -> Callable[[], Any]:
        """Return a piece of work by its name."""
        if name == "message":
            return partial(
                messages.post, ORGANIZATION, MessageInput(session=SESSION, body="Where is my parcel?")
            )
        if name == "agent":
            return self._let_the_agent_work
        if name == "auto-resolve":
            return self._auto_resolve
        if name.startswith("reply"):
            how = {"takeOver": name == "reply taking over", "reopen": name == "reply reopening"}
            written = ReplyInput.model_validate({"body": "Yes", **how})
            return partial(writing.reply, MAX, self.conversation_id, written)
        if name in {"snooze", "end snooze"}:
            until = SnoozeInput(until=SNOOZE_ENDED if name == "snooze" else None)
            return partial(snoozes.snooze, MAX, self.conversation_id, until)
        if name == "wake":
            return partial(snoozes.wake, WakeJob(ORGANIZATION, self.conversation_id, SNOOZE_ENDED))
        if name in {"assign", "unassign"}:
            return partial(
                assigning.assign, MAX, self.conversation_id, {"user_id": ADA if name == "assign" else None}
            )
        if name == "note":
            return partial(writing.note, MAX, self.conversation_id, NoteInput(body="For the team."))
        return partial(service.transition, MAX, self.conversation_id, Transition(name))

    def alone(self, *names: str) -> None:
        """Do pieces of work one after another."""
        for name in names:
            done = self.work(name)()
            if name == "message":
                self.conversation_id = self.conversation_id or done.conversation_id
            if name.startswith("reply"):
                self.known |= written_by_the_visitor(self.conversation_id)

    def at_once(self, names: list[str], seed: int) -> None:
        """Do pieces of work at once, and note what a person's reply follows."""
        before = written_by_the_visitor(self.conversation_id)
        outcomes = interleaved([self.work(name) for name in names], seed)
        for error in outcomes.errors:
            if not isinstance(error, ConversationArchived | NotArchived | None):
                raise error
        written = set(before)
        for number in outcomes.commits:
            result: Any = outcomes.results[number]
            if names[number] == "message" and result.conversation_id == self.conversation_id:
                written.add(result.message_id)
            if names[number].startswith("reply"):
                self.known |= written

    def decide(self, _: Prepared, pending: list[Message]) -> Reply | HandOff | Goodbye:
        """Decide in place of the agent."""
        self._here.pending = {message.id for message in pending}
        return self.decision

    def empty_the_queue(self) -> None:
        """Let the agent work until nothing is left in its queue."""
        while self._jobs():
            self._let_the_agent_work()

    def _let_the_agent_work(self) -> None:
        """Take the jobs that are in the queue now, in their order."""
        for job in self._jobs():
            body = job["body"]
            answering = AgentJob(body["organization"], body["conversationId"], body["messageId"])
            outcome = agent.work(answering, until=0, last_try=False)
            if outcome in WRITTEN:
                self.known |= self._here.pending
            self.done.add(job["id"])

    def _jobs(self) -> list[dict[str, Any]]:
        found = [
            job | {"id": item["id"]} for item in whole_table.everything() for job in item.get("jobs", [])
        ]
        waiting = [job for job in found if job["queue"] == "agent" and job["id"] not in self.done]
        return sorted(waiting, key=lambda job: str(job["body"]["messageId"]))

    def _auto_resolve(self) -> None:
        found = repository.conversations.get(ORGANIZATION, self.conversation_id)
        if auto_resolve.is_finished(found):
            auto_resolve.resolve([found], "Assistant", 24)

    def conversations(self) -> list[Conversation]:
        """Return all conversations of the visitor."""
        found = [item for item in whole_table.everything() if item["SK"] == "CONV"]
        return [Conversation.from_item(item) for item in found]


def written_by_the_visitor(conversation_id: str) -> set[str]:
    conversation = repository.conversations.get(ORGANIZATION, conversation_id)
    found = repository.newest_messages(conversation, 50)
    return {message.id for message in found if message.by_visitor}


def begin(decision: Reply | HandOff | Goodbye, history: Sequence[str]) -> Desk:
    whole_table.clear()
    member = Member(
        organization=ORGANIZATION,
        user_id=ADA,
        name="Ada",
        email="ada@example.com",
        role=Role.MEMBER,
        joined_at=1,
    )
    table.put_new(member)
    desk = Desk(decision)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent, "_decide_unread", desk.decide)
        desk.alone(*history)
    return desk


@pytest.fixture(autouse=True)
def _any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a conversation be snoozed until a time that has come."""
    monkeypatch.setattr(snoozes, "MIN_SNOOZE_MS", -4_000_000_000_000)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_in_any_order_each_question_is_answered_handed_off_or_in_a_persons_hands(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(batch, ORDERS, BATCHES):
        rng = random.Random(seed)
        history = rng.choice(HISTORIES)
        names = list(PAIRS[seed % len(PAIRS)])
        names += ["message"] * (rng.random() < 0.5) + ["agent"] * (rng.random() < 0.5)
        desk = begin(rng.choice(DECISIONS), history)
        monkeypatch.setattr(agent, "_decide_unread", desk.decide)
        about = (seed, history, names, desk.decision)

        desk.at_once(names, seed)
        if rng.random() < 0.5:
            desk.empty_the_queue()
        else:  # the team is faster, and leaves the conversation to the agent again
            with contextlib.suppress(ConversationArchived):
                desk.alone("take-over")
                desk.empty_the_queue()
                desk.alone("hand-back")
            desk.empty_the_queue()

        for conversation in desk.conversations():
            with_a_person = conversation.archived or conversation.state.handled_by is Handler.TEAM
            resolved = conversation.state.status is Status.RESOLVED and "resolve" in (*history, *names)
            waiting = written_by_the_visitor(conversation.id) - desk.known
            assert with_a_person or resolved or not waiting, (about, conversation)
        for conversation in desk.conversations():  # what a person has put away comes back to the agent
            desk.conversation_id = conversation.id
            steps = ["unarchive"] * conversation.archived + ["reopen", "hand-back"]
            desk.alone(*steps)
            desk.empty_the_queue()
            assert written_by_the_visitor(conversation.id) <= desk.known, (about, conversation)


@pytest.mark.parametrize(
    ("history", "names", "decision"),
    [
        (["message", "take-over", "agent", "message"], ["hand-back", "message"], 0),
        (["message", "take-over", "agent", "message", "resolve"], ["reopen", "hand-back", "message"], 0),
        (["message"], ["snooze", "agent"], 1),
        (["message", "snooze"], ["end snooze", "agent"], 1),
        (["message"], ["assign", "agent"], 2),
        (["message"], ["message", "agent"], 2),
        (["message", "take-over", "agent"], ["reply", "hand-back", "message"], 0),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_an_encounter_leaves_no_question_to_nobody(
    history: list[str], names: list[str], decision: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(effort.of(6, 40)):
        desk = begin(DECISIONS[decision], history)
        monkeypatch.setattr(agent, "_decide_unread", desk.decide)

        desk.at_once(names, seed)
        desk.empty_the_queue()

        for conversation in desk.conversations():
            ours = conversation.state.handled_by is Handler.AGENT
            waiting = written_by_the_visitor(conversation.id) - desk.known
            assert not (ours and waiting), (seed, conversation)


def test_every_pair_of_transitions_and_writers_is_tried() -> None:
    assert len(PAIRS) <= ORDERS
