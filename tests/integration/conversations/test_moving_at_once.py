"""Several people, the visitor and the agent at one conversation at the same moment.

Calls happen in an order drawn by a seed (tests/support/interleaving.py). Whatever the order, what was written must
be what the moves make of the state one after another, and each event must tell of the state that its own write left.
"""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.admission.caller import Caller, Person, Role
from helpdesk.conversations import repository, service
from helpdesk.conversations.schemas import ReplyInput
from helpdesk.conversations.state import Move
from helpdesk.messages import service as messages
from helpdesk.messages.schemas import MessageInput
from helpdesk.storage import keys, table
from tests.support import table as whole_table
from tests.support.interleaving import interleaved

INTERLEAVINGS = 200
BATCHES = 4
SESSION = "session-of-many-hands"
ORGANIZATION = "org_1"
MAX = Caller(ORGANIZATION, person=Person("usr_1", "Max", Role.MEMBER))
type State = tuple[str, str, str]

# Written by hand from the specification: status and handler after each piece of work in each state.
STATES = {
    "resolve": {("open", "agent"): ("resolved", "agent"), ("open", "team"): ("resolved", "team")},
    "close": {("open", "agent"): ("resolved", "agent"), ("open", "team"): ("resolved", "team")},
    "reopen": {("resolved", "agent"): ("open", "agent"), ("resolved", "team"): ("open", "team")},
    "take-over": {
        ("open", "agent"): ("open", "team"),
        ("resolved", "agent"): ("open", "team"),
        ("resolved", "team"): ("open", "team"),
    },
    "hand-back": {("open", "team"): ("open", "agent")},
    "reply taking over": {
        ("open", "agent"): ("open", "team"),
        ("resolved", "agent"): ("open", "team"),
        ("resolved", "team"): ("open", "team"),
    },
    "reply reopening": {("resolved", "agent"): ("open", "agent"), ("resolved", "team"): ("open", "team")},
    "reply": {},
    "message": {},
}
PIECES = list(STATES)
STATUSES, HANDLERS, SPEAKERS = ("open", "resolved"), ("agent", "team"), ("visitor", "agent", "teammate")
TOLD_AS = {"message": "message.created visitor", "reply": "message.created agent"}


def work(name: str, conversation_id: str) -> Callable[[], Any]:
    if name == "message":
        return partial(messages.post, ORGANIZATION, MessageInput(session=SESSION, body="Still there?"))
    if name.startswith("reply"):
        how = {"takeOver": name == "reply taking over", "reopen": name == "reply reopening"}
        written = ReplyInput.model_validate({"body": "Yes", **how})
        return partial(service.reply, MAX, conversation_id, written)
    return partial(service.move, MAX, conversation_id, Move(name))


def speaks(name: str) -> str | None:
    if name == "message":
        return "visitor"
    return "teammate" if name.startswith("reply") else None


def after(name: str, state: State) -> State:
    status, handler = STATES[name].get(state[:2], state[:2])
    return status, handler, speaks(name) or state[2]


def shown(conversation_id: str, state: State) -> dict[str, Any]:
    status, handler, speaker = state
    awaited = (status, handler) == ("open", "team") and speaker != "teammate"
    return {"id": conversation_id, "status": status, "awaitingHuman": awaited}


def state_of(conversation_id: str) -> State:
    item = repository.get(ORGANIZATION, conversation_id).item
    state = item["status"], item["handledBy"], item["lastSpeaker"]
    waiting = shown(conversation_id, state)["awaitingHuman"]
    assert item["GSI1PK"] == f"ORG#{ORGANIZATION}#INBOX#{'waiting' if waiting else item['status']}"
    return state


def told_of(conversation_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of one conversation: what happened, and the state they tell."""
    found = []
    for event in whole_table.events():
        sender = event["data"].get("message", {}).get("sender", "")
        if event["data"]["conversation"]["id"] == conversation_id:
            found.append((f"{event['type']} {sender}".strip(), event["data"]["conversation"]))
    return found


def begin(state: State) -> str:
    """Start a conversation and put it into a state; return its id."""
    whole_table.clear()
    conversation_id = messages.post(ORGANIZATION, MessageInput(session=SESSION, body="Hello")).conversation_id
    status, handler, speaker = state
    waiting = shown(conversation_id, state)["awaitingHuman"]
    table.update(
        keys.Conversation(ORGANIZATION, conversation_id),
        "SET #status = :status, handledBy = :handler, lastSpeaker = :speaker, GSI1PK = :list",
        names={"#status": "status"},
        values={
            ":status": status,
            ":handler": handler,
            ":speaker": speaker,
            ":list": keys.inbox(ORGANIZATION, "waiting" if waiting else status),
        },
    )
    return conversation_id


@pytest.mark.parametrize("batch", range(BATCHES))
def test_whatever_the_order_each_write_follows_from_the_one_before_and_is_told_of(batch: int) -> None:
    for seed in range(batch, INTERLEAVINGS, BATCHES):
        rng = random.Random(seed)
        state: State = (rng.choice(STATUSES), rng.choice(HANDLERS), rng.choice(SPEAKERS))
        conversation_id = begin(state)
        names = rng.choices(PIECES, k=rng.choice([2, 3]))

        outcomes = interleaved([work(name, conversation_id) for name in names], seed)

        outcomes.all()
        begun = shown(conversation_id, ("open", "agent", "visitor"))
        expected = [("conversation.created", begun), ("message.created visitor", begun)]
        for number in outcomes.commits:
            name = names[number]
            if name == "message" and state[0] == "resolved":
                continue  # it starts a conversation of its own
            assert speaks(name) or after(name, state) != state, (seed, names)
            state = after(name, state)
            told_as = TOLD_AS.get(name.partition(" ")[0], "conversation.updated")
            expected.append((told_as, shown(conversation_id, state)))
        by_text = sorted(told_of(conversation_id), key=str)
        assert by_text == sorted(expected, key=str), (seed, names, outcomes.commits)
        assert state_of(conversation_id) == state, (seed, names, outcomes.commits)
        # Only a move may find that there is nothing to do.
        idle = set(range(len(names))) - set(outcomes.commits)
        assert not any(speaks(names[number]) for number in idle), (seed, names)


@pytest.mark.parametrize("speaker", ["reply", "message"])
def test_a_move_that_was_overtaken_does_not_unsay_who_spoke_last(speaker: str) -> None:
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

        assert repository.get(ORGANIZATION, conversation_id).state.awaiting_human is (speaker == "message")


@pytest.mark.parametrize("seed", range(3))
def test_ten_identical_moves_at_once_are_one_move(seed: int) -> None:
    conversation_id = begin(("open", "team", "visitor"))

    interleaved([work("resolve", conversation_id)] * 10, seed).all()

    assert whole_table.kinds().count("conversation.updated") == 1
