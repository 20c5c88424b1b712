"""docs/guides/conversation-states.md against the table of transitions in the code, cell by cell."""

import pytest

from helpdesk.conversations.state import (
    STATE_KEYS,
    TRANSITIONS,
    Speaker,
    State,
    StateKey,
    Transition,
    Visibility,
    apply,
    emits_event,
)
from helpdesk.platform.errors import AppError
from tests.support import states

ROWS: dict[str, Transition] = {
    "agent hands to the team": Transition.HAND_OFF,
    "take-over": Transition.TAKE_OVER,
    "hand-back": Transition.HAND_BACK,
    "resolve": Transition.RESOLVE,
    "close": Transition.CLOSE,
    "reopen": Transition.REOPEN,
    "assign": Transition.ASSIGN,
    "snooze": Transition.SNOOZE,
    "snooze with null": Transition.END_SNOOZE,
    "its time has come": Transition.END_SNOOZE,
    "archive": Transition.ARCHIVE,
    "unarchive": Transition.UNARCHIVE,
}
# These are not requests: on an archived conversation they do nothing, because nobody waits for an answer.
NOBODY_TO_REFUSE = {"agent hands to the team", "its time has come"}


def column(key: StateKey) -> str:
    if key.visibility is Visibility.ARCHIVED:
        return "archived"
    status = "snoozed" if key.visibility is Visibility.SNOOZED else key.status.value
    return f"{status}, {key.handled_by.value}"


def cell(row: str, before: StateKey) -> str:
    """Return what the page must say of a transition in a state, as the code has it."""
    try:
        now = apply(
            State(before.status, before.handled_by, Speaker.VISITOR, before.visibility), ROWS[row]
        ).key
    except AppError as refused:
        if row not in NOBODY_TO_REFUSE:
            return refused.code
        now = before
    if now == before:
        return states.SILENT if row == "agent hands to the team" else states.STAYS
    if before.visibility is Visibility.ARCHIVED:
        assert now == before._replace(visibility=Visibility.ACTIVE)
        return states.AS_BEFORE
    return column(now)


def test_the_page_has_a_row_for_every_transition() -> None:
    assert set(ROWS.values()) == set(TRANSITIONS) == set(Transition)
    assert set(ROWS) <= set(states.transitions())


@pytest.mark.parametrize("row", ROWS)
def test_a_row_matches_the_table_in_the_code(row: str) -> None:
    said = states.transitions()[row]

    assert {column(before): cell(row, before) for before in STATE_KEYS} == said


@pytest.mark.parametrize(
    ("trigger", "transition", "before"),
    [
        ("a teammate takes over", Transition.TAKE_OVER, "open, agent"),
        ("a teammate hands back", Transition.HAND_BACK, "open, team"),
        ("a conversation is resolved", Transition.RESOLVE, "open, agent"),
        ("a conversation is closed", Transition.CLOSE, "open, agent"),
        ("a conversation is reopened", Transition.REOPEN, "resolved, agent"),
        ("a resolved conversation is taken over", Transition.TAKE_OVER, "resolved, agent"),
        ("an open conversation is snoozed", Transition.SNOOZE, "open, agent"),
        ("a resolved conversation is snoozed", Transition.SNOOZE, "resolved, agent"),
        ("a snooze is ended", Transition.END_SNOOZE, "snoozed, agent"),
        ("a snooze's time comes", Transition.END_SNOOZE, "snoozed, agent"),
        ("a conversation is assigned", Transition.ASSIGN, "open, agent"),
        ("a conversation is archived", Transition.ARCHIVE, "open, agent"),
        ("a conversation is unarchived", Transition.UNARCHIVE, "archived"),
        ("a transition that changes nothing", Transition.RESOLVE, "resolved, agent"),
    ],
)
def test_a_transition_sends_the_events_that_the_page_lists(
    trigger: str, transition: Transition, before: str
) -> None:
    key = next(each for each in STATE_KEYS if column(each) == before)
    state = State(key.status, key.handled_by, Speaker.VISITOR, key.visibility)
    events = ["conversation.updated"] if emits_event(state, apply(state, transition)) else []

    assert states.triggers()[trigger] == events
