"""Which state is which status, and who follows whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.integrations.linear.record import (
    Follow,
    Found,
    LinearIssue,
    NamedState,
    SignalState,
    State,
    StateMap,
    decide,
)
from helpdesk.signals.kinds import SignalStatus

KINDS = ("triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate")
STATES = (
    State("1", "Triage", "triage"),
    State("2", "Backlog", "backlog"),
    State("3", "Todo", "unstarted"),
    State("4", "In Progress", "started"),
    State("5", "QA", "started"),
    State("6", "In Review", "started"),
    State("7", "Done", "completed"),
    State("8", "Canceled", "canceled"),
    State("9", "Duplicate", "duplicate"),
)
BY_NAME = {each.name: each for each in STATES}


def test_each_status_has_the_first_state_of_a_fitting_type() -> None:
    states = StateMap(STATES, {})

    assert {status.value: getattr(states.state_of(status), "name", None) for status in SignalStatus} == {
        "open": "Backlog",
        "planned": "Todo",
        "in progress": "In Progress",
        "in review": "In Review",
        "done": "Done",
        "declined": "Canceled",
    }


def test_a_state_that_an_admin_names_takes_the_place_of_the_usual_one() -> None:
    states = StateMap(
        STATES,
        {
            "in review": NamedState("in another team", "qa"),
            "open": NamedState("1", "a name that it had"),
            "done": NamedState("0", "a state that is gone"),
        },
    )

    assert states.state_of(SignalStatus.IN_REVIEW) == BY_NAME["QA"]
    assert states.state_of(SignalStatus.OPEN) == BY_NAME["Triage"]
    assert states.state_of(SignalStatus.DONE) == BY_NAME["Done"]


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("Triage", ["open", "planned"]),
        ("Backlog", ["open"]),
        ("Todo", ["planned"]),
        ("In Progress", ["in progress"]),
        ("QA", ["in progress", "in review"]),
        ("In Review", ["in review"]),
        ("Done", ["done"]),
        ("Canceled", ["declined"]),
        ("Duplicate", ["declined"]),
    ],
)
def test_a_state_fits_its_statuses_or_those_of_its_type(name: str, statuses: list[str]) -> None:
    found = StateMap(STATES, {}).statuses_of(BY_NAME[name])
    assert [each.value for each in found] == statuses


workflows = st.lists(st.sampled_from(KINDS), max_size=8).map(
    lambda kinds: tuple(State(str(at), f"State {at}", kind) for at, kind in enumerate(kinds))
)


@given(
    workflows,
    st.dictionaries(st.sampled_from([each.value for each in SignalStatus]), st.just(NamedState("0", "x"))),
)
def test_the_state_of_a_status_fits_it_in_every_workflow(
    workflow: tuple[State, ...], named: dict[str, NamedState]
) -> None:
    states = StateMap(workflow, named)
    for status in SignalStatus:
        state = states.state_of(status)
        assert state is None or status in states.statuses_of(state)
    for state in workflow:
        assert states.statuses_of(state)


def issue(state: str, said: str, pushing: str | None = None, taking: str | None = None) -> LinearIssue:
    return LinearIssue(
        organization="org_1",
        account_id="workspace",
        id="issue",
        signal_id="signal_1",
        team_id="team",
        identifier="ENG-1",
        said=SignalStatus(said),
        state_id=BY_NAME[state].id,
        pushing=None if pushing is None else BY_NAME[pushing].id,
        taking=None if taking is None else SignalStatus(taking),
        at=100,
    )


def found(state: str, at: int) -> Found:
    return Found(
        id="issue", identifier="ENG-1", url="", state=BY_NAME[state], team_id="team", at=at, trashed=False
    )


@pytest.mark.parametrize(
    ("agreed", "signal", "shown", "follow"),
    [
        (("Backlog", "open"), ("open", 50), ("Backlog", 100), Follow.AGREE),
        (("Backlog", "open"), ("open", 500), ("Triage", 200), Follow.AGREE),
        (("Backlog", "open"), ("open", 500), ("Done", 200), Follow.TAKE),  # edited later, and not moved
        (("Backlog", "open"), ("done", 300), ("Backlog", 200), Follow.PUSH),
        (("Backlog", "open"), ("done", 300), ("In Review", 200), Follow.PUSH),  # both; the signal later
        (("Backlog", "open"), ("done", 300), ("In Review", 400), Follow.TAKE),  # both; the issue later
        (("Backlog", "open"), ("done", 300), ("Done", 400), Follow.AGREE),
        (
            ("Backlog", "open", "Done"),
            ("open", 300),
            ("Done", 400),
            Follow.PUSH,
        ),  # a move of ours, and back since
        (("Backlog", "done", "Done"), ("done", 300), ("Backlog", 400), Follow.PUSH),  # noted, and not sent
        (("QA", "open"), ("open", 300), ("QA", 400), Follow.LEAVE),  # another mapping
    ],
)
def test_the_one_that_moved_last_is_followed(
    agreed: tuple[str, ...], signal: tuple[str, int], shown: tuple[str, int], follow: Follow
) -> None:
    signal_state = SignalState(SignalStatus(signal[0]), signal[1])

    assert decide(issue(*agreed), signal_state, found(*shown), StateMap(STATES, {})) is follow


@pytest.mark.parametrize(
    ("signal", "shown", "follow"),
    [
        ("done", "Done", Follow.AGREE),
        ("done", "Backlog", Follow.TAKE),  # back to where both agreed
        ("done", "In Review", Follow.TAKE),
        ("open", "Done", Follow.TAKE),  # the signal was not moved yet
        ("declined", "Backlog", Follow.PUSH),  # a person moved the signal since
    ],
)
def test_an_issue_that_moves_after_a_worker_died_in_taking_its_state_is_followed(
    signal: str, shown: str, follow: Follow
) -> None:
    # The worker moved it after the issue moved.
    signal_state = SignalState(SignalStatus(signal), changed_at=500)
    died = issue("Backlog", "open", taking="done")

    assert decide(died, signal_state, found(shown, 400), StateMap(STATES, {})) is follow
