"""A conversation's state and every move between states, as one table and no AWS.

Specification: States and transitions, Conversation. Three facts make the state: `status`, who handles it, and whether
the team has put it aside. The agent asking for a person and a teammate taking over both put it in the team's hands;
handing back puts it in the agent's. A closed conversation reads as resolved. docs/guides/conversation-states.md shows
the table; tests hold that page, this table and what the API does to each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.platform.errors import AppError


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


class Aside(StrEnum):
    """Whether the team has put a conversation aside."""

    NO = "no"
    SNOOZED = "snoozed"
    """Until a time, or until the visitor writes. Only an open conversation is snoozed."""
    ARCHIVED = "archived"
    """For good: it takes no writes. It keeps its status and handler, which come back with it."""


class Move(StrEnum):
    """What may be done to a conversation besides writing in it."""

    RESOLVE = "resolve"
    CLOSE = "close"
    REOPEN = "reopen"
    TAKE_OVER = "take-over"
    HAND_BACK = "hand-back"
    HAND_OFF = "hand-off"
    """The agent asks for a person."""
    SNOOZE = "snooze"
    END_SNOOZE = "end-snooze"
    """By a teammate, or because its time has come."""
    ASSIGN = "assign"
    """Or unassign: the state does not tell whose it is, but an archived one is not assigned."""
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"


class Standing(NamedTuple):
    """The part of the state that moves ask for and change."""

    status: Status
    handled_by: Handler
    aside: Aside = Aside.NO


@dataclass(frozen=True, slots=True)
class State:
    """A conversation's state."""

    status: Status
    handled_by: Handler
    last_speaker: Speaker
    aside: Aside = Aside.NO

    @property
    def standing(self) -> Standing:
        """The part of it that moves ask for and change."""
        return Standing(self.status, self.handled_by, self.aside)

    @property
    def awaiting_human(self) -> bool:
        """Whether the visitor waits for a person (Specification: Conversation, awaitingHuman)."""
        return (
            self.status is Status.OPEN
            and self.handled_by is Handler.TEAM
            and self.last_speaker is not Speaker.TEAMMATE
        )


_OA, _OT = Standing(Status.OPEN, Handler.AGENT), Standing(Status.OPEN, Handler.TEAM)
_SA, _ST = _OA._replace(aside=Aside.SNOOZED), _OT._replace(aside=Aside.SNOOZED)
_RA, _RT = Standing(Status.RESOLVED, Handler.AGENT), Standing(Status.RESOLVED, Handler.TEAM)
_IN_REACH = (_OA, _OT, _SA, _ST, _RA, _RT)
_ARCHIVED = {each: each._replace(aside=Aside.ARCHIVED) for each in (_OA, _OT, _RA, _RT)}

STANDINGS: tuple[Standing, ...] = (*_IN_REACH, *_ARCHIVED.values())
"""All there are."""

_NO_WRITES: dict[Standing, type[AppError]] = dict.fromkeys(_ARCHIVED.values(), ConversationArchived)

MOVES: dict[Move, Mapping[Standing, Standing | type[AppError]]] = {
    Move.RESOLVE: {_OA: _RA, _OT: _RT, _SA: _RA, _ST: _RT, **_NO_WRITES},
    Move.CLOSE: {_OA: _RA, _OT: _RT, _SA: _RA, _ST: _RT, **_NO_WRITES},
    Move.REOPEN: {_RA: _OA, _RT: _OT, **_NO_WRITES},
    # One who takes over a settled conversation means to go on with it: it opens, as his reply would open it.
    Move.TAKE_OVER: {_OA: _OT, _SA: _ST, _RA: _OT, _RT: _OT, **_NO_WRITES},
    Move.HAND_BACK: {_OT: _OA, _ST: _SA, **_NO_WRITES},
    # Someone waits for a person from now on, so it is not kept from the team's eyes any longer.
    Move.HAND_OFF: {_OA: _OT, _SA: _OT, **_NO_WRITES},
    # One who wants to see a settled conversation again at a time means to go on with it then.
    Move.SNOOZE: {_OA: _SA, _OT: _ST, _RA: _SA, _RT: _ST, **_NO_WRITES},
    Move.END_SNOOZE: {_SA: _OA, _ST: _OT, **_NO_WRITES},
    Move.ASSIGN: {**_NO_WRITES},
    Move.ARCHIVE: {**_ARCHIVED, _SA: _ARCHIVED[_OA], _ST: _ARCHIVED[_OT]},
    Move.UNARCHIVE: {
        **dict.fromkeys(_IN_REACH, NotArchived),
        **{archived: before for before, archived in _ARCHIVED.items()},
    },
}
"""What each move makes of a standing, or what it is refused with.

A standing that a move does not name stays as it is: nothing is written or sent.
"""

STARTED = State(Status.OPEN, Handler.AGENT, Speaker.VISITOR)
"""A conversation after its first message."""


def after(state: State, move: Move) -> State:
    """Return the state after a move; the same state where the move changes nothing.

    Raises ConversationArchived or NotArchived, as the table says.
    """
    found = MOVES[move].get(state.standing, state.standing)
    if not isinstance(found, Standing):
        raise found
    return replace(state, status=found.status, handled_by=found.handled_by, aside=found.aside)


def after_reply(state: State, *, take_over: bool, reopen: bool) -> State:
    """Return the state after a teammate's message, which may take over or reopen on the way.

    Raises ConversationArchived.
    """
    if state.aside is Aside.ARCHIVED:
        raise ConversationArchived
    if take_over:
        state = after(state, Move.TAKE_OVER)
    if reopen:
        state = after(state, Move.REOPEN)
    return replace(state, last_speaker=Speaker.TEAMMATE)


def is_told(before: State, now: State) -> bool:
    """Tell whether a move sends conversation.updated: where it settles or opens a conversation, or changes its handler.

    Putting one aside and taking it out again are the team's own business (Specification: Events, Event kinds).
    """
    return (before.status, before.handled_by) != (now.status, now.handled_by)
