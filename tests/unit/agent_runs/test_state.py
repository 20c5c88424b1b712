"""The tables of runs and calls: what they say, and that the guide says the same."""

import re

import pytest

from helpdesk.agent_runs.state import (
    CALLS,
    RUN,
    CallEvent,
    CallState,
    ImpossibleTransition,
    RunEvent,
    RunState,
    apply,
    apply_to_call,
)
from tests.support.template import ROOT

GUIDE = (ROOT / "docs" / "guides" / "agent-runs.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table that begins with a heading, row by row."""
    table = GUIDE[GUIDE.index(heading) :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [table[0], *table[2:]]]


def test_the_guide_has_the_table_of_runs() -> None:
    head, *lines = rows("| event | thinking")
    assert head[1:] == [state.value for state in RunState]
    assert [line[0] for line in lines] == [event.value for event in RunEvent]
    for event, line in zip(RunEvent, lines, strict=True):
        for state, cell in zip(RunState, line[1:], strict=True):
            after = RUN[event].get(state)
            assert cell == ("" if after is None else "–" if after is state else after.value), (event, state)


def test_the_guide_has_the_table_of_calls() -> None:
    _, *lines = rows("| event | from | to |")
    assert [tuple(line) for line in lines] == [
        (event.value, before.value, after.value)
        for event in CallEvent
        for before, after in CALLS[event].items()
    ]


def test_what_is_over_stays_over() -> None:
    for event, moves in RUN.items():
        for before, after in moves.items():
            assert not before.is_over or after is before, event
    assert not any(before.has_result for before, _ in _moves())


def test_a_call_is_sent_from_two_states_alone_and_ends_once() -> None:
    sent_from = {before for before, after in _moves() if after is CallState.RUNNING}
    assert sent_from == {CallState.READY, CallState.APPROVED}
    assert {before for before, after in _moves() if after is CallState.READY} == {CallState.REVIEWING}
    ends = {after for before, after in _moves() if before is CallState.RUNNING}
    assert ends == {CallState.SUCCEEDED, CallState.REFUSED, CallState.FAILED, CallState.UNKNOWN}


def test_an_impossible_event_is_refused() -> None:
    with pytest.raises(ImpossibleTransition):
        apply(RunState.ANSWERED, RunEvent.ASKS_FOR_TOOLS)
    with pytest.raises(ImpossibleTransition):
        apply_to_call(CallState.UNKNOWN, CallEvent.CLAIMED)


def test_the_guide_names_the_limits() -> None:
    assert re.search(
        r"at most 8 turns of the model, 12 calls and 60,000\s+\[tokens\]\([^)]*\)\. At most 3 calls", GUIDE
    )


def _moves() -> list[tuple[CallState, CallState]]:
    return [move for moves in CALLS.values() for move in moves.items()]
