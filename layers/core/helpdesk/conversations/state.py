"""A conversation's state and every transition between states, as one table without AWS.

Specification: States and transitions, Conversation. Three facts make up the state: `status`, who handles the
conversation, and its visibility in the inbox. Both the agent handing off and a teammate taking over give it to the
team; handing back gives it to the agent. A closed conversation reads as resolved. Tests keep this table, the tables in
docs/guides/conversation-states.md and the API's behaviour equal.
"""

from collections.abc import Mapping
from copy import replace
from enum import StrEnum
from typing import Any, NamedTuple

from helpdesk.conversations.errors import ConversationArchived, NotArchived
from helpdesk.platform.errors import AppError
from helpdesk.platform.record import Record


class Status(StrEnum):
    """Whether a conversation is open or resolved."""

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


class Visibility(StrEnum):
    """Whether the team has hidden a conversation from its inbox."""

    ACTIVE = "active"
    SNOOZED = "snoozed"
    """Hidden until a time, or until the visitor writes. Only an open conversation is snoozed."""
    ARCHIVED = "archived"
    """Hidden, and it accepts no writes. It keeps its status and handler until it is unarchived."""


class Transition(StrEnum):
    """What can be done to a conversation other than writing in it."""

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
    """Or unassign. The assignee is no part of the state, but an archived conversation cannot be assigned."""
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"


class StateKey(NamedTuple):
    """The part of the state that transitions read and change."""

    status: Status
    handled_by: Handler
    visibility: Visibility = Visibility.ACTIVE


class State(Record):
    """A conversation's state."""

    status: Status
    handled_by: Handler
    last_speaker: Speaker
    visibility: Visibility = Visibility.ACTIVE

    @property
    def key(self) -> StateKey:
        """The part of the state that transitions read and change."""
        return StateKey(self.status, self.handled_by, self.visibility)

    @property
    def awaiting_human(self) -> bool:
        """Whether the visitor waits for a person (Specification: Conversation, awaitingHuman)."""
        return (
            self.status is Status.OPEN
            and self.handled_by is Handler.TEAM
            and self.last_speaker is not Speaker.TEAMMATE
        )

    @property
    def accepts_visitor_messages(self) -> bool:
        """Whether a visitor's next message can go into the conversation: it is open and not archived."""
        return self.status is Status.OPEN and self.visibility is not Visibility.ARCHIVED

    @property
    def agent_may_answer(self) -> bool:
        """Whether the agent may write in the conversation: it is open, not archived, and the agent handles it.

        Whether it still has to answer a certain message is `Conversation.awaits_agent`.
        """
        return self.accepts_visitor_messages and self.handled_by is Handler.AGENT


_OA, _OT = StateKey(Status.OPEN, Handler.AGENT), StateKey(Status.OPEN, Handler.TEAM)
_SA, _ST = _OA._replace(visibility=Visibility.SNOOZED), _OT._replace(visibility=Visibility.SNOOZED)
_RA, _RT = StateKey(Status.RESOLVED, Handler.AGENT), StateKey(Status.RESOLVED, Handler.TEAM)
_UNARCHIVED = (_OA, _OT, _SA, _ST, _RA, _RT)
_ARCHIVED = {each: each._replace(visibility=Visibility.ARCHIVED) for each in (_OA, _OT, _RA, _RT)}

STATE_KEYS: tuple[StateKey, ...] = (*_UNARCHIVED, *_ARCHIVED.values())
"""All that occur."""

_NO_WRITES: dict[StateKey, type[AppError]] = dict.fromkeys(_ARCHIVED.values(), ConversationArchived)

TRANSITIONS: dict[Transition, Mapping[StateKey, StateKey | type[AppError]]] = {
    Transition.RESOLVE: {_OA: _RA, _OT: _RT, _SA: _RA, _ST: _RT, **_NO_WRITES},
    Transition.CLOSE: {_OA: _RA, _OT: _RT, _SA: _RA, _ST: _RT, **_NO_WRITES},
    Transition.REOPEN: {_RA: _OA, _RT: _OT, **_NO_WRITES},
    # A teammate who takes over a resolved conversation intends to continue it, so it opens, as with a reply.
    Transition.TAKE_OVER: {_OA: _OT, _SA: _ST, _RA: _OT, _RT: _OT, **_NO_WRITES},
    Transition.HAND_BACK: {_OT: _OA, _ST: _SA, **_NO_WRITES},
    # From now on a visitor waits for a person, so the snooze ends and the team sees the conversation.
    Transition.HAND_OFF: {_OA: _OT, _SA: _OT, **_NO_WRITES},
    # A teammate who snoozes a resolved conversation intends to continue it later, so it opens.
    Transition.SNOOZE: {_OA: _SA, _OT: _ST, _RA: _SA, _RT: _ST, **_NO_WRITES},
    Transition.END_SNOOZE: {_SA: _OA, _ST: _OT, **_NO_WRITES},
    Transition.ASSIGN: {**_NO_WRITES},
    Transition.ARCHIVE: {**_ARCHIVED, _SA: _ARCHIVED[_OA], _ST: _ARCHIVED[_OT]},
    Transition.UNARCHIVE: {
        **dict.fromkeys(_UNARCHIVED, NotArchived),
        **{archived: before for before, archived in _ARCHIVED.items()},
    },
}
"""The state after each transition, or the error that refuses it.

A state that a transition does not list stays as it is: nothing is written and no event is sent.
"""

STARTED = State(Status.OPEN, Handler.AGENT, Speaker.VISITOR)
"""A conversation after its first message."""


def apply(state: State, transition: Transition) -> State:
    """Return the state after a transition; the same state if the transition changes nothing.

    Raises ConversationArchived or NotArchived, as the table says.
    """
    found = TRANSITIONS[transition].get(state.key, state.key)
    if not isinstance(found, StateKey):
        raise found
    return replace(state, status=found.status, handled_by=found.handled_by, visibility=found.visibility)


def apply_reply(state: State, *, take_over: bool, reopen: bool) -> State:
    """Return the state after a teammate's message, which can also take over or reopen.

    Raises ConversationArchived.
    """
    if state.visibility is Visibility.ARCHIVED:
        raise ConversationArchived
    if take_over:
        state = apply(state, Transition.TAKE_OVER)
    if reopen:
        state = apply(state, Transition.REOPEN)
    return replace(state, last_speaker=Speaker.TEAMMATE)


def earliest_wait(state: State, unanswered_since: int | None, approvals_since: int | None) -> int | None:
    """Return since when a conversation in this state waits for the team, from since when each may wait (ms)."""
    visitor = unanswered_since if state.awaiting_human else None
    return min((each for each in (visitor, approvals_since) if each is not None), default=None)


def emits_event(before: State, now: State) -> bool:
    """Return whether a transition sends conversation.updated: it resolves, opens or changes the handler.

    Snoozing and archiving send no event (Specification: Events, Event kinds).
    """
    return (before.status, before.handled_by) != (now.status, now.handled_by)


def state_data(conversation_id: str, state: State) -> dict[str, Any]:
    """Return `data.conversation` of an event: the state after the change (Specification: Events, data by kind)."""
    return {"id": conversation_id, "status": state.status.value, "awaitingHuman": state.awaiting_human}
