"""The table of moves, written out by hand from Specification: States and transitions, Conversation."""

import pytest

from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.conversations.state import (
    STARTED,
    STATE_KEYS,
    Handler,
    Speaker,
    State,
    StateKey,
    Status,
    Transition,
    Visibility,
    apply,
    apply_reply,
    emits_event,
)
from helpdesk.platform.errors import AppError
from tests.support.rules import for_each

OPEN_AGENT, OPEN_TEAM = (Status.OPEN, Handler.AGENT), (Status.OPEN, Handler.TEAM)
RESOLVED_AGENT, RESOLVED_TEAM = (Status.RESOLVED, Handler.AGENT), (Status.RESOLVED, Handler.TEAM)
BY_LETTERS = {
    "oa": StateKey(*OPEN_AGENT),
    "ot": StateKey(*OPEN_TEAM),
    "sa": StateKey(*OPEN_AGENT, Visibility.SNOOZED),
    "st": StateKey(*OPEN_TEAM, Visibility.SNOOZED),
    "ra": StateKey(*RESOLVED_AGENT),
    "rt": StateKey(*RESOLVED_TEAM),
    "archived oa": StateKey(*OPEN_AGENT, Visibility.ARCHIVED),
    "archived ot": StateKey(*OPEN_TEAM, Visibility.ARCHIVED),
    "archived ra": StateKey(*RESOLVED_AGENT, Visibility.ARCHIVED),
    "archived rt": StateKey(*RESOLVED_TEAM, Visibility.ARCHIVED),
}
NO = "archived"  # refused with conversation_archived
MISS = "not archived"

# Every transition in every state: open, snoozed and resolved, each with agent and team, then archived. Two
# letters are the state after it; a dot: nothing changes, so nothing is written and nothing is sent.
#                    oa    ot    sa    st    ra    rt
TABLE: dict[Transition, list[str]] = {
    Transition.RESOLVE: ["ra", "rt", "ra", "rt", ".", ".", NO, NO, NO, NO],
    Transition.CLOSE: ["ra", "rt", "ra", "rt", ".", ".", NO, NO, NO, NO],
    Transition.REOPEN: [".", ".", ".", ".", "oa", "ot", NO, NO, NO, NO],
    # The specification shows taking over a resolved one for a reply only; by itself it opens it too.
    Transition.TAKE_OVER: ["ot", ".", "st", ".", "ot", "ot", NO, NO, NO, NO],
    Transition.HAND_BACK: [".", "oa", ".", "sa", ".", ".", NO, NO, NO, NO],
    Transition.HAND_OFF: ["ot", ".", "ot", ".", ".", ".", NO, NO, NO, NO],
    Transition.SNOOZE: ["sa", "st", ".", ".", "sa", "st", NO, NO, NO, NO],
    Transition.END_SNOOZE: [".", ".", "oa", "ot", ".", ".", NO, NO, NO, NO],
    Transition.ASSIGN: [".", ".", ".", ".", ".", ".", NO, NO, NO, NO],
    Transition.ARCHIVE: [
        *("archived oa", "archived ot", "archived oa", "archived ot", "archived ra", "archived rt"),
        *(".", ".", ".", "."),
    ],
    Transition.UNARCHIVE: [MISS, MISS, MISS, MISS, MISS, MISS, "oa", "ot", "ra", "rt"],
}
REFUSALS: dict[str, type[AppError]] = {NO: ConversationArchived, MISS: NotArchived}
CELLS = [
    (transition, before, cell)
    for transition, row in TABLE.items()
    for before, cell in zip(BY_LETTERS, row, strict=True)
]
# The changes that send conversation.updated: those that resolve, open or change the handler.
SENDS_EVENT = {
    "oa ra",
    "ot rt",
    "sa ra",
    "st rt",
    "ra oa",
    "rt ot",
    "oa ot",
    "sa st",
    "ra ot",
    "ot oa",
    "st sa",
    "sa ot",
}
SENDS_EVENT |= {"ra sa", "rt st"}


def test_the_table_names_every_transition_in_every_state() -> None:
    assert set(TABLE) == set(Transition)
    assert tuple(BY_LETTERS.values()) == STATE_KEYS


@for_each("speaker", list(Speaker))
@for_each(
    ("transition", "before", "cell"), CELLS, ids=[f"{transition}-{before}" for transition, before, _ in CELLS]
)
def test_a_transition_leads_to_the_state_that_the_specification_names(
    transition: Transition, before: str, cell: str, speaker: Speaker
) -> None:
    status, handler, visibility = BY_LETTERS[before]
    state = State(status, handler, speaker, visibility)
    if cell in REFUSALS:
        with pytest.raises(REFUSALS[cell]):
            apply(state, transition)
        return
    status, handler, visibility = BY_LETTERS[before if cell == "." else cell]
    applied = apply(state, transition)

    assert applied == State(status, handler, speaker, visibility)
    assert emits_event(state, applied) is (f"{before} {cell}" in SENDS_EVENT)


@pytest.mark.parametrize(
    ("status", "handler", "speaker", "awaiting"),
    [
        (Status.OPEN, Handler.TEAM, Speaker.VISITOR, True),
        (Status.OPEN, Handler.TEAM, Speaker.AGENT, True),
        (Status.OPEN, Handler.TEAM, Speaker.TEAMMATE, False),
        (Status.OPEN, Handler.AGENT, Speaker.VISITOR, False),
        (Status.OPEN, Handler.AGENT, Speaker.AGENT, False),
        (Status.OPEN, Handler.AGENT, Speaker.TEAMMATE, False),
        (Status.RESOLVED, Handler.TEAM, Speaker.VISITOR, False),
        (Status.RESOLVED, Handler.TEAM, Speaker.AGENT, False),
        (Status.RESOLVED, Handler.TEAM, Speaker.TEAMMATE, False),
        (Status.RESOLVED, Handler.AGENT, Speaker.VISITOR, False),
        (Status.RESOLVED, Handler.AGENT, Speaker.AGENT, False),
        (Status.RESOLVED, Handler.AGENT, Speaker.TEAMMATE, False),
    ],
)
def test_a_person_is_awaited_while_the_team_handles_an_open_conversation_and_no_teammate_wrote_last(
    status: Status, handler: Handler, speaker: Speaker, awaiting: bool
) -> None:
    assert State(status, handler, speaker).awaiting_human is awaiting


@pytest.mark.parametrize(
    ("before", "take_over", "reopen", "expected"),
    [
        (OPEN_AGENT, False, False, OPEN_AGENT),
        (OPEN_AGENT, True, False, OPEN_TEAM),
        (OPEN_AGENT, False, True, OPEN_AGENT),
        (OPEN_AGENT, True, True, OPEN_TEAM),
        (OPEN_TEAM, False, False, OPEN_TEAM),
        (OPEN_TEAM, True, False, OPEN_TEAM),
        (OPEN_TEAM, False, True, OPEN_TEAM),
        (OPEN_TEAM, True, True, OPEN_TEAM),
        (RESOLVED_AGENT, False, False, RESOLVED_AGENT),
        (RESOLVED_AGENT, True, False, OPEN_TEAM),
        (RESOLVED_AGENT, False, True, OPEN_AGENT),
        (RESOLVED_AGENT, True, True, OPEN_TEAM),
        (RESOLVED_TEAM, False, False, RESOLVED_TEAM),
        (RESOLVED_TEAM, True, False, OPEN_TEAM),
        (RESOLVED_TEAM, False, True, OPEN_TEAM),
        (RESOLVED_TEAM, True, True, OPEN_TEAM),
    ],
)
def test_a_teammates_reply_takes_over_and_reopens_as_asked(
    before: tuple[Status, Handler], take_over: bool, reopen: bool, expected: tuple[Status, Handler]
) -> None:
    state = apply_reply(State(*before, Speaker.VISITOR), take_over=take_over, reopen=reopen)

    assert state == State(*expected, Speaker.TEAMMATE)


def test_a_reply_leaves_a_snooze_as_it_is_and_an_archived_conversation_takes_none() -> None:
    snoozed = State(*OPEN_AGENT, Speaker.VISITOR, Visibility.SNOOZED)
    archived = State(*OPEN_AGENT, Speaker.VISITOR, Visibility.ARCHIVED)

    reply = apply_reply(snoozed, take_over=False, reopen=True)
    assert reply == State(*OPEN_AGENT, Speaker.TEAMMATE, Visibility.SNOOZED)
    taking_over = apply_reply(snoozed, take_over=True, reopen=False)
    assert taking_over == State(*OPEN_TEAM, Speaker.TEAMMATE, Visibility.SNOOZED)
    with pytest.raises(ConversationArchived):
        apply_reply(archived, take_over=False, reopen=False)


def test_a_conversation_starts_open_and_handled_by_the_agent() -> None:
    assert State(Status.OPEN, Handler.AGENT, Speaker.VISITOR) == STARTED


# Whether a visitor's next message goes into the conversation, and whether the agent may write in it.
WRITERS = {
    "oa": (True, True),
    "ot": (True, False),
    "sa": (True, True),
    "st": (True, False),
    **dict.fromkeys(("ra", "rt", "archived oa", "archived ot", "archived ra", "archived rt"), (False, False)),
}


@for_each("letters", list(BY_LETTERS))
def test_visitors_and_the_agent_write_in_open_conversations_that_are_theirs(letters: str) -> None:
    status, handled_by, visibility = BY_LETTERS[letters]
    state = State(status, handled_by, Speaker.VISITOR, visibility)

    assert (state.accepts_visitor_messages, state.agent_may_answer) == WRITERS[letters]
