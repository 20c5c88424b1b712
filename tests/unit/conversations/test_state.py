"""The table of moves, written out by hand from Specification: States and transitions, Conversation."""

import pytest

from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.conversations.state import (
    STANDINGS,
    STARTED,
    Aside,
    Handler,
    Move,
    Speaker,
    Standing,
    State,
    Status,
    after,
    after_reply,
    is_told,
)
from helpdesk.platform.errors import AppError

OPEN_AGENT, OPEN_TEAM = (Status.OPEN, Handler.AGENT), (Status.OPEN, Handler.TEAM)
RESOLVED_AGENT, RESOLVED_TEAM = (Status.RESOLVED, Handler.AGENT), (Status.RESOLVED, Handler.TEAM)
BY_LETTERS = {
    "oa": Standing(*OPEN_AGENT),
    "ot": Standing(*OPEN_TEAM),
    "sa": Standing(*OPEN_AGENT, Aside.SNOOZED),
    "st": Standing(*OPEN_TEAM, Aside.SNOOZED),
    "ra": Standing(*RESOLVED_AGENT),
    "rt": Standing(*RESOLVED_TEAM),
    "archived oa": Standing(*OPEN_AGENT, Aside.ARCHIVED),
    "archived ot": Standing(*OPEN_TEAM, Aside.ARCHIVED),
    "archived ra": Standing(*RESOLVED_AGENT, Aside.ARCHIVED),
    "archived rt": Standing(*RESOLVED_TEAM, Aside.ARCHIVED),
}
NO = "archived"  # refused with conversation_archived
MISS = "not archived"

# Every move in every state: open, snoozed and resolved in the hands of agent and team, then what is archived. Two
# letters are the state after it; a dot: nothing changes, so nothing is written and nothing is sent.
#                    oa    ot    sa    st    ra    rt
TABLE: dict[Move, list[str]] = {
    Move.RESOLVE: ["ra", "rt", "ra", "rt", ".", ".", NO, NO, NO, NO],
    Move.CLOSE: ["ra", "rt", "ra", "rt", ".", ".", NO, NO, NO, NO],
    Move.REOPEN: [".", ".", ".", ".", "oa", "ot", NO, NO, NO, NO],
    # The specification shows taking over a settled one for a reply only; by itself it opens it too.
    Move.TAKE_OVER: ["ot", ".", "st", ".", "ot", "ot", NO, NO, NO, NO],
    Move.HAND_BACK: [".", "oa", ".", "sa", ".", ".", NO, NO, NO, NO],
    Move.HAND_OFF: ["ot", ".", "ot", ".", ".", ".", NO, NO, NO, NO],
    Move.SNOOZE: ["sa", "st", ".", ".", "sa", "st", NO, NO, NO, NO],
    Move.END_SNOOZE: [".", ".", "oa", "ot", ".", ".", NO, NO, NO, NO],
    Move.ASSIGN: [".", ".", ".", ".", ".", ".", NO, NO, NO, NO],
    Move.ARCHIVE: [
        *("archived oa", "archived ot", "archived oa", "archived ot", "archived ra", "archived rt"),
        *(".", ".", ".", "."),
    ],
    Move.UNARCHIVE: [MISS, MISS, MISS, MISS, MISS, MISS, "oa", "ot", "ra", "rt"],
}
REFUSALS: dict[str, type[AppError]] = {NO: ConversationArchived, MISS: NotArchived}
CELLS = [
    (move, before, cell) for move, row in TABLE.items() for before, cell in zip(BY_LETTERS, row, strict=True)
]
# The moves between standings that are told: those that settle, open or change hands.
TOLD = {
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
TOLD |= {"ra sa", "rt st"}


def test_the_table_names_every_move_in_every_state() -> None:
    assert set(TABLE) == set(Move)
    assert tuple(BY_LETTERS.values()) == STANDINGS


@pytest.mark.parametrize("speaker", list(Speaker))
@pytest.mark.parametrize(
    ("move", "before", "cell"), CELLS, ids=[f"{move}-{before}" for move, before, _ in CELLS]
)
def test_a_move_makes_of_a_state_what_the_specification_says(
    move: Move, before: str, cell: str, speaker: Speaker
) -> None:
    status, handler, aside = BY_LETTERS[before]
    state = State(status, handler, speaker, aside)
    if cell in REFUSALS:
        with pytest.raises(REFUSALS[cell]):
            after(state, move)
        return
    status, handler, aside = BY_LETTERS[before if cell == "." else cell]
    moved = after(state, move)

    assert moved == State(status, handler, speaker, aside)
    assert is_told(state, moved) is (f"{before} {cell}" in TOLD)


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
def test_a_person_is_awaited_while_it_is_open_in_the_teams_hands_and_no_teammate_spoke_last(
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
    state = after_reply(State(*before, Speaker.VISITOR), take_over=take_over, reopen=reopen)

    assert state == State(*expected, Speaker.TEAMMATE)


def test_a_reply_leaves_a_snooze_as_it_is_and_an_archived_conversation_takes_none() -> None:
    snoozed = State(*OPEN_AGENT, Speaker.VISITOR, Aside.SNOOZED)
    archived = State(*OPEN_AGENT, Speaker.VISITOR, Aside.ARCHIVED)

    reply = after_reply(snoozed, take_over=False, reopen=True)
    assert reply == State(*OPEN_AGENT, Speaker.TEAMMATE, Aside.SNOOZED)
    taking_over = after_reply(snoozed, take_over=True, reopen=False)
    assert taking_over == State(*OPEN_TEAM, Speaker.TEAMMATE, Aside.SNOOZED)
    with pytest.raises(ConversationArchived):
        after_reply(archived, take_over=False, reopen=False)


def test_a_conversation_starts_open_in_the_agents_hands_with_the_visitors_word() -> None:
    assert State(Status.OPEN, Handler.AGENT, Speaker.VISITOR) == STARTED
