"""Several people, the visitor and the agent at one conversation at the same moment.

Calls happen in an order drawn by a seed (tests/support/interleaving.py). Whatever the order, what was written must
be what the moves make of the state one after another, and each event must report the state that its own write left.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.members.record import Member
from helpdesk.agent.answerer import HandOff, Reply
from helpdesk.agent.reasons import Reason
from helpdesk.agent_runs import worker as agent
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations import assigning, repository, service, snoozes, writing
from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.schemas import NoteInput, ReplyInput, SnoozeInput
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.conversations.state import Transition
from helpdesk.storage import table
from tests.support import effort
from tests.support import table as whole_table
from tests.support.conversations import stored, waiting_place
from tests.support.interleaving import Outcomes, interleaved

INTERLEAVINGS = int(os.environ.get("INTERLEAVINGS", effort.of(30, 1200)))
"""How many orders one run of the suite tries; thousands with the environment variable."""
BATCHES = 8
SESSION = "session-of-many-hands"
ORGANIZATION = "org_1"
MAX = Caller(ORGANIZATION, person=Person("usr_1", "Max", Role.MEMBER))
ADA = "usr_2"
EARLIER = 1_700_000_000_000  # when a snooze was to end that nobody has ended yet
LATER = 4_000_000_000_000


@dataclass(frozen=True)
class Seen:
    """What the table holds of a conversation."""

    status: str
    handler: str
    speaker: str
    snoozed_until: int | None = None
    archived: bool = False
    assignee: str | None = None

    @property
    def place(self) -> tuple[str, str]:
        return self.status, self.handler

    @property
    def awaited(self) -> bool:
        return self.place == ("open", "team") and self.speaker != "teammate"


# Written by hand from the specification: status and handler after each piece of work in each state.
OPENS_FOR_THE_TEAM = {
    ("open", "agent"): ("open", "team"),
    ("resolved", "agent"): ("open", "team"),
    ("resolved", "team"): ("open", "team"),
}
OPENS = {("resolved", "agent"): ("open", "agent"), ("resolved", "team"): ("open", "team")}
RESOLVES = {("open", "agent"): ("resolved", "agent"), ("open", "team"): ("resolved", "team")}
STATES: dict[str, dict[tuple[str, str], tuple[str, str]]] = {
    "resolve": RESOLVES,
    "close": RESOLVES,
    "reopen": OPENS,
    "take-over": OPENS_FOR_THE_TEAM,
    "hand-back": {("open", "team"): ("open", "agent")},
    "reply taking over": OPENS_FOR_THE_TEAM,
    "reply reopening": OPENS,
    "reply": {},
    "message": {},
    "agent answers": {},
    "agent hands off": {("open", "agent"): ("open", "team")},
    "snooze": OPENS,
    "end snooze": {},
    "wake": {},
    "assign": {},
    "unassign": {},
    "note": {},
    "archive": {},
    "unarchive": {},
}
PIECES = list(STATES)
STATUSES, HANDLERS, SPEAKERS = ("open", "resolved"), ("agent", "team"), ("visitor", "agent", "teammate")
# What a committed piece leaves in the thread for the team alone.
LINES = {
    *("resolve", "close", "reopen", "take-over", "hand-back", "archive", "unarchive"),
    "agent hands off",
    "snooze",
    "end snooze",
    "wake",
    "assign",
    "unassign",
    "note",
}
# Two teammates and the agent, or the visitor, at the same conversation: the encounters that have to be right.
ENCOUNTERS = [
    ("take-over", "agent answers"),
    ("take-over", "agent hands off"),
    ("reply", "agent answers"),
    ("reply taking over", "agent hands off", "resolve"),
    ("resolve", "reply"),
    ("resolve", "agent answers", "message"),
    ("snooze", "message"),
    ("snooze", "agent hands off"),
    ("snooze", "resolve", "message"),
    ("archive", "reply"),
    ("archive", "message"),
    ("archive", "agent answers", "unarchive"),
    ("assign", "resolve"),
    ("assign", "archive", "unassign"),
    ("assign", "reopen", "unassign"),
    ("wake", "message"),
    ("wake", "snooze"),
    ("wake", "end snooze", "archive"),
    ("wake", "wake", "wake"),
    ("note", "archive", "unarchive"),
]


def after(name: str, seen: Seen) -> Seen | None:
    """Return what a piece of work makes of a conversation; itself where nothing is to be done, None where refused."""
    if name == "unarchive":
        return replace(seen, archived=False) if seen.archived else None
    if name == "archive":
        return seen if seen.archived else replace(seen, archived=True, snoozed_until=None)
    if name in {"agent answers", "agent hands off"} and (
        seen.archived or seen.place != ("open", "agent") or seen.speaker == "teammate"
    ):
        return seen
    if name == "wake":
        return replace(seen, snoozed_until=None) if seen.snoozed_until == EARLIER else seen
    if seen.archived:
        return None
    status, handler = STATES[name].get(seen.place, seen.place)
    now = replace(seen, status=status, handler=handler, speaker=speaks(name) or seen.speaker)
    if name in {"message", "resolve", "close", "end snooze", "agent hands off"}:
        now = replace(now, snoozed_until=None)
    if name == "snooze":
        now = replace(now, snoozed_until=LATER)
    if name in {"assign", "unassign"}:
        now = replace(now, assignee=ADA if name == "assign" else None)
    return now


def work(name: str, conversation_id: str, message_id: str = "") -> Callable[[], Any]:
    if name == "message":
        return partial(messages.post, ORGANIZATION, MessageInput(session=SESSION, body="Still there?"))
    if name.startswith("agent"):
        return partial(
            agent.work, AgentJob(ORGANIZATION, conversation_id, message_id), until=0, last_try=False
        )
    if name.startswith("reply"):
        how = {"takeOver": name == "reply taking over", "reopen": name == "reply reopening"}
        written = ReplyInput.model_validate({"body": "Yes", **how})
        return partial(writing.reply, MAX, conversation_id, written)
    if name in {"snooze", "end snooze"}:
        until = SnoozeInput(until=LATER if name == "snooze" else None)
        return partial(snoozes.snooze, MAX, conversation_id, until)
    if name == "wake":
        return partial(snoozes.wake, WakeJob(ORGANIZATION, conversation_id, EARLIER))
    if name in {"assign", "unassign"}:
        return partial(assigning.assign, MAX, conversation_id, {"user_id": ADA if name == "assign" else None})
    if name == "note":
        return partial(writing.note, MAX, conversation_id, NoteInput(body="For the team."))
    return partial(service.transition, MAX, conversation_id, Transition(name))


def speaks(name: str) -> str | None:
    if name == "message":
        return "visitor"
    if name.startswith("agent"):
        return "agent"
    return "teammate" if name.startswith("reply") else None


def events_expected(name: str, before: Seen, now: Seen) -> list[str]:
    """Return the events of a piece that was written."""
    if name == "message":
        return ["message.created visitor"]
    if name == "agent hands off":
        return ["message.created agent", "conversation.updated"]
    if speaks(name) is not None:
        return ["message.created agent"]
    return ["conversation.updated"] if before.place != now.place else []


def shown(conversation_id: str, seen: Seen) -> dict[str, Any]:
    return {"id": conversation_id, "status": seen.status, "awaitingHuman": seen.awaited}


def seen_of(conversation_id: str) -> Seen:
    item = stored(ORGANIZATION, conversation_id)
    seen = Seen(
        item["status"],
        item["handledBy"],
        item["lastSpeaker"],
        item.get("snoozedUntil"),
        item.get("archivedAt") is not None,
        item.get("assignee"),
    )
    waiting = "waiting" if seen.awaited else seen.status
    assert item["GSI1PK"] == f"ORG#{ORGANIZATION}#INBOX#{'archived' if seen.archived else waiting}"
    waits = seen.awaited and not seen.archived
    place = {
        "GSI4PK": f"ORG#{ORGANIZATION}#WAITING",
        "GSI4SK": f"{item.get('unansweredSince')}#{conversation_id}",
    }
    assert waiting_place(item) == (place if waits else {})
    theirs = f"ORG#{ORGANIZATION}#ASSIGNED#{ADA}#{'archived' if seen.archived else seen.status}"
    assert item.get("GSI3PK") == (theirs if seen.assignee else None)
    return seen


def events_of(conversation_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of one conversation, each with the state that it carries."""
    found = []
    for event in whole_table.events():
        sender = event["data"].get("message", {}).get("sender", "")
        if event["data"]["conversation"]["id"] == conversation_id:
            found.append((f"{event['type']} {sender}".strip(), event["data"]["conversation"]))
    return found


def begin(seen: Seen) -> tuple[str, str]:
    """Start a conversation and put it into a state; return its id and its message's."""
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
    written = messages.post(ORGANIZATION, MessageInput(session=SESSION, body="Hello"))
    waiting = "waiting" if seen.awaited else seen.status
    inbox = Conversation.partition_for(ORGANIZATION, "archived" if seen.archived else waiting, index="GSI1")
    theirs = Conversation.partition_for(
        ORGANIZATION, ADA, "archived" if seen.archived else seen.status, index="GSI3"
    )
    values = {
        "status": seen.status,
        "handledBy": seen.handler,
        "lastSpeaker": seen.speaker,
        "snoozedUntil": seen.snoozed_until,
        "archivedAt": EARLIER if seen.archived else None,
        "assignee": seen.assignee,
        "GSI1PK": inbox,
        **({"GSI3PK": theirs} if seen.assignee else {}),
    }
    values = {name: value for name, value in values.items() if value is not None}
    if seen.awaited and not seen.archived:
        since = stored(ORGANIZATION, written.conversation_id)["unansweredSince"]
        values["GSI4PK"] = Conversation.partition_for(ORGANIZATION, index="GSI4")
        values["GSI4SK"] = f"{since:013d}#{written.conversation_id}"
    answered = seen.status == "resolved" or seen.speaker == "teammate"
    table.update(
        Conversation.key_for(ORGANIZATION, written.conversation_id),
        "SET "
        + ", ".join(f"#{name} = :{name}" for name in values)
        + (" REMOVE unansweredSince" if answered else ""),
        names={f"#{name}": name for name in values},
        values={f":{name}": value for name, value in values.items()},
    )
    return written.conversation_id, written.message_id


def drawn(rng: random.Random) -> Seen:
    seen = Seen(rng.choice(STATUSES), rng.choice(HANDLERS), rng.choice(SPEAKERS))
    if seen.status == "open" and rng.random() < 0.4:
        seen = replace(seen, snoozed_until=EARLIER)
    if rng.random() < 0.15:
        seen = replace(seen, archived=True, snoozed_until=None)
    return replace(seen, assignee=rng.choice([ADA, None]))


@pytest.fixture(autouse=True)
def _any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a snooze end at a time that can be written down here."""
    monkeypatch.setattr(snoozes, "MAX_SNOOZE_MS", LATER)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_in_any_order_each_write_follows_from_the_one_before_and_sends_its_events(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(batch, INTERLEAVINGS, BATCHES):
        rng = random.Random(seed)
        seen = drawn(rng)
        names = list(rng.choice(ENCOUNTERS) if seed % 2 else rng.choices(PIECES, k=rng.choice([2, 3])))
        hands_off = "agent hands off" in names
        if hands_off:  # one decision for all
            names = [name.replace("agent answers", "agent hands off") for name in names]
        decision = HandOff(Reason.NOTHING_FOUND) if hands_off else Reply("Here.")
        monkeypatch.setattr(agent, "_decide", lambda *_, decided=decision: decided)
        conversation_id, message_id = begin(seen)

        outcomes = interleaved([work(name, conversation_id, message_id) for name in names], seed)

        check(seen, names, conversation_id, outcomes, (seed, names))


def check(
    seen: Seen, names: list[str], conversation_id: str, outcomes: Outcomes[Any], context: object
) -> None:
    """Hold what happened to the tables: each write to the one before it, each event, and who wrote nothing."""
    begun = shown(conversation_id, Seen("open", "agent", "visitor"))
    expected = [("conversation.created", begun), ("message.created visitor", begun)]
    lived, written, lines = [seen], set(), 0
    for number in outcomes.commits:
        name = names[number]
        result: Any = outcomes.results[number]
        if name == "wake" and result != "woken":
            continue  # it removed what reminded of a snooze that is over
        written.add(number)
        if name == "message" and result.conversation_id != conversation_id:
            assert any(each.status == "resolved" or each.archived for each in lived), context
            continue  # it started a conversation of its own, or followed one that did
        before, now = lived[-1], after(name, lived[-1])
        assert now is not None, context
        assert speaks(name) or name == "note" or now != before, context
        expected += [(kind, shown(conversation_id, now)) for kind in events_expected(name, before, now)]
        lines += name in LINES
        lived.append(now)
    assert sorted(events_of(conversation_id), key=str) == sorted(expected, key=str), (context, outcomes)
    assert seen_of(conversation_id) == lived[-1], (context, outcomes)
    notes = [item for item in whole_table.of_kind("NOTE#") if item["PK"].endswith(conversation_id)]
    assert len(notes) == lines, context
    for number in set(range(len(names))) - written:
        error = outcomes.errors[number]
        if error is not None:
            assert isinstance(error, ConversationArchived | NotArchived), (context, error)
        # A request that wrote nothing found a state in which it changes nothing or is refused.
        idle = [after(names[number], each) for each in lived]
        assert names[number].startswith("agent") or any(
            now == each if error is None else now is None for now, each in zip(idle, lived, strict=True)
        ), context


@pytest.mark.parametrize("speaker", ["reply", "message"])
def test_a_transition_after_a_conflict_keeps_the_last_speaker(speaker: str) -> None:
    for seed in range(5):
        whole_table.clear()
        conversation_id = messages.post(
            ORGANIZATION, MessageInput(session=SESSION, body="Hello")
        ).conversation_id
        work("take-over", conversation_id)()
        if speaker == "message":
            work("reply", conversation_id)()

        interleaved([work(name, conversation_id) for name in (speaker, "hand-back")], seed).all()
        work("take-over", conversation_id)()

        found = repository.conversations.get(ORGANIZATION, conversation_id)
        assert found.state.awaiting_human is (speaker == "message")


@pytest.mark.parametrize("seed", range(3))
def test_ten_identical_transitions_at_once_are_one(seed: int) -> None:
    conversation_id, _ = begin(Seen("open", "team", "visitor"))

    interleaved([work("resolve", conversation_id)] * 10, seed).all()

    assert whole_table.kinds().count("conversation.updated") == 1
