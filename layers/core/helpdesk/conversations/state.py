"""A conversation's state and every move between states, as one table and no AWS.

Specification: States and transitions, Conversation. Two facts make the state: `status`, and who handles it. The
agent asking for a person and a teammate taking over both put it in the team's hands; handing back puts it in the
agent's. A closed conversation reads as resolved.
"""

from dataclasses import dataclass, replace
from enum import StrEnum


class Status(StrEnum):
    """Whether a conversation is settled."""

    OPEN = "open"
    RESOLVED = "resolved"


class Handler(StrEnum):
    """Who answers the visitor."""

    AGENT = "agent"
    TEAM = "team"


class Speaker(StrEnum):
    """Who wrote the latest message that the visitor can see."""

    VISITOR = "visitor"
    AGENT = "agent"
    TEAMMATE = "teammate"


class Move(StrEnum):
    """What may be done to a conversation besides writing in it."""

    RESOLVE = "resolve"
    CLOSE = "close"
    REOPEN = "reopen"
    TAKE_OVER = "take-over"
    HAND_BACK = "hand-back"
    HAND_OFF = "hand-off"


@dataclass(frozen=True, slots=True)
class State:
    """A conversation's state."""

    status: Status
    handled_by: Handler
    last_speaker: Speaker

    @property
    def awaiting_human(self) -> bool:
        """Whether the visitor waits for a person (Specification: Conversation, awaitingHuman)."""
        return (
            self.status is Status.OPEN
            and self.handled_by is Handler.TEAM
            and self.last_speaker is not Speaker.TEAMMATE
        )


_OPEN, _RESOLVED = Status.OPEN, Status.RESOLVED
_AGENT, _TEAM = Handler.AGENT, Handler.TEAM

MOVES: dict[Move, dict[tuple[Status, Handler], tuple[Status, Handler]]] = {
    Move.RESOLVE: {(_OPEN, _AGENT): (_RESOLVED, _AGENT), (_OPEN, _TEAM): (_RESOLVED, _TEAM)},
    Move.CLOSE: {(_OPEN, _AGENT): (_RESOLVED, _AGENT), (_OPEN, _TEAM): (_RESOLVED, _TEAM)},
    Move.REOPEN: {(_RESOLVED, _AGENT): (_OPEN, _AGENT), (_RESOLVED, _TEAM): (_OPEN, _TEAM)},
    # One who takes over a settled conversation means to go on with it: it opens, as his reply would open it.
    Move.TAKE_OVER: {
        (_OPEN, _AGENT): (_OPEN, _TEAM),
        (_RESOLVED, _AGENT): (_OPEN, _TEAM),
        (_RESOLVED, _TEAM): (_OPEN, _TEAM),
    },
    Move.HAND_BACK: {(_OPEN, _TEAM): (_OPEN, _AGENT)},
    Move.HAND_OFF: {(_OPEN, _AGENT): (_OPEN, _TEAM)},
}
"""What each move makes of a state. A state that a move does not name stays as it is: nothing is written or sent."""

STARTED = State(Status.OPEN, Handler.AGENT, Speaker.VISITOR)
"""A conversation after its first message."""


def after(state: State, move: Move) -> State:
    """Return the state after a move; the same state where the move changes nothing."""
    status, handled_by = MOVES[move].get((state.status, state.handled_by), (state.status, state.handled_by))
    return replace(state, status=status, handled_by=handled_by)


def after_reply(state: State, *, take_over: bool, reopen: bool) -> State:
    """Return the state after a teammate's message, which may take over or reopen on the way."""
    if take_over:
        state = after(state, Move.TAKE_OVER)
    if reopen:
        state = after(state, Move.REOPEN)
    return replace(state, last_speaker=Speaker.TEAMMATE)
