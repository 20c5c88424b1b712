"""docs/guides/conversation-states.md against the table of moves in the code, cell by cell."""

import pytest

from helpdesk.conversations.state import (
    MOVES,
    STANDINGS,
    Aside,
    Move,
    Speaker,
    Standing,
    State,
    after,
    is_told,
)
from helpdesk.platform.errors import AppError
from tests.support import states

ROWS: dict[str, Move] = {
    "agent hands to the team": Move.HAND_OFF,
    "take-over": Move.TAKE_OVER,
    "hand-back": Move.HAND_BACK,
    "resolve": Move.RESOLVE,
    "close": Move.CLOSE,
    "reopen": Move.REOPEN,
    "assign": Move.ASSIGN,
    "snooze": Move.SNOOZE,
    "snooze with null": Move.END_SNOOZE,
    "its time has come": Move.END_SNOOZE,
    "archive": Move.ARCHIVE,
    "unarchive": Move.UNARCHIVE,
}
# What is no move of a teammate's finds an archived conversation and passes by: nobody is there to be refused.
NOBODY_TO_REFUSE = {"agent hands to the team", "its time has come"}


def column(standing: Standing) -> str:
    if standing.aside is Aside.ARCHIVED:
        return "archived"
    status = "snoozed" if standing.aside is Aside.SNOOZED else standing.status.value
    return f"{status}, {standing.handled_by.value}"


def cell(row: str, before: Standing) -> str:
    """Return what the page must say of a move in a state, as the code has it."""
    try:
        now = after(
            State(before.status, before.handled_by, Speaker.VISITOR, before.aside), ROWS[row]
        ).standing
    except AppError as refused:
        if row not in NOBODY_TO_REFUSE:
            return refused.code
        now = before
    if now == before:
        return states.SILENT if row == "agent hands to the team" else states.STAYS
    if before.aside is Aside.ARCHIVED:
        assert now == before._replace(aside=Aside.NO)
        return states.AS_BEFORE
    return column(now)


def test_the_page_has_a_row_for_every_move() -> None:
    assert set(ROWS.values()) == set(MOVES) == set(Move)
    assert set(ROWS) <= set(states.moves())


@pytest.mark.parametrize("row", ROWS)
def test_a_row_says_what_the_table_in_the_code_says(row: str) -> None:
    said = states.moves()[row]

    assert {column(before): cell(row, before) for before in STANDINGS} == said


@pytest.mark.parametrize(
    ("trigger", "move", "before"),
    [
        ("a teammate takes over", Move.TAKE_OVER, "open, agent"),
        ("a teammate hands back", Move.HAND_BACK, "open, team"),
        ("a conversation is resolved", Move.RESOLVE, "open, agent"),
        ("a conversation is closed", Move.CLOSE, "open, agent"),
        ("a conversation is reopened", Move.REOPEN, "resolved, agent"),
        ("a resolved conversation is taken over", Move.TAKE_OVER, "resolved, agent"),
        ("an open conversation is snoozed", Move.SNOOZE, "open, agent"),
        ("a resolved conversation is snoozed", Move.SNOOZE, "resolved, agent"),
        ("a snooze is ended", Move.END_SNOOZE, "snoozed, agent"),
        ("a snooze's time comes", Move.END_SNOOZE, "snoozed, agent"),
        ("a conversation is assigned", Move.ASSIGN, "open, agent"),
        ("a conversation is archived", Move.ARCHIVE, "open, agent"),
        ("a conversation is unarchived", Move.UNARCHIVE, "archived"),
        ("a move that changes nothing", Move.RESOLVE, "resolved, agent"),
    ],
)
def test_a_move_is_told_where_the_page_says_so(trigger: str, move: Move, before: str) -> None:
    standing = next(each for each in STANDINGS if column(each) == before)
    state = State(standing.status, standing.handled_by, Speaker.VISITOR, standing.aside)
    told = ["conversation.updated"] if is_told(state, after(state, move)) else []

    assert states.triggers()[trigger] == told
