"""The table of moves, written out by hand from Specification: States and transitions, Conversation."""

import pytest

from helpdesk.conversations.state import STARTED, Handler, Move, Speaker, State, Status, after, after_reply

OPEN_AGENT, OPEN_TEAM = (Status.OPEN, Handler.AGENT), (Status.OPEN, Handler.TEAM)
RESOLVED_AGENT, RESOLVED_TEAM = (Status.RESOLVED, Handler.AGENT), (Status.RESOLVED, Handler.TEAM)

# Every move in every state. None: nothing changes, so nothing is written and nothing is sent.
TABLE = [
    (Move.RESOLVE, OPEN_AGENT, RESOLVED_AGENT),
    (Move.RESOLVE, OPEN_TEAM, RESOLVED_TEAM),
    (Move.RESOLVE, RESOLVED_AGENT, None),
    (Move.RESOLVE, RESOLVED_TEAM, None),
    (Move.CLOSE, OPEN_AGENT, RESOLVED_AGENT),
    (Move.CLOSE, OPEN_TEAM, RESOLVED_TEAM),
    (Move.CLOSE, RESOLVED_AGENT, None),
    (Move.CLOSE, RESOLVED_TEAM, None),
    (Move.REOPEN, OPEN_AGENT, None),
    (Move.REOPEN, OPEN_TEAM, None),
    (Move.REOPEN, RESOLVED_AGENT, OPEN_AGENT),
    (Move.REOPEN, RESOLVED_TEAM, OPEN_TEAM),
    (Move.TAKE_OVER, OPEN_AGENT, OPEN_TEAM),
    (Move.TAKE_OVER, OPEN_TEAM, None),
    # The specification shows taking over a settled one for a reply only; by itself it opens it too.
    (Move.TAKE_OVER, RESOLVED_AGENT, OPEN_TEAM),
    (Move.TAKE_OVER, RESOLVED_TEAM, OPEN_TEAM),
    (Move.HAND_BACK, OPEN_AGENT, None),
    (Move.HAND_BACK, OPEN_TEAM, OPEN_AGENT),
    (Move.HAND_BACK, RESOLVED_AGENT, None),
    (Move.HAND_BACK, RESOLVED_TEAM, None),
    (Move.HAND_OFF, OPEN_AGENT, OPEN_TEAM),
    (Move.HAND_OFF, OPEN_TEAM, None),
    (Move.HAND_OFF, RESOLVED_AGENT, None),
    (Move.HAND_OFF, RESOLVED_TEAM, None),
]


def test_the_table_names_every_move_in_every_state() -> None:
    assert len({(move, before) for move, before, _ in TABLE}) == len(Move) * 4


@pytest.mark.parametrize("speaker", list(Speaker))
@pytest.mark.parametrize(
    ("move", "before", "expected"), TABLE, ids=[f"{m}-{b[0]}-{b[1]}" for m, b, _ in TABLE]
)
def test_a_move_makes_of_a_state_what_the_specification_says(
    move: Move,
    before: tuple[Status, Handler],
    expected: tuple[Status, Handler] | None,
    speaker: Speaker,
) -> None:
    assert after(State(*before, speaker), move) == State(*(expected or before), speaker)


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


def test_a_conversation_starts_open_in_the_agents_hands_with_the_visitors_word() -> None:
    assert State(Status.OPEN, Handler.AGENT, Speaker.VISITOR) == STARTED
