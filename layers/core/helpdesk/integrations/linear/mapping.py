"""Which state of a team is which status of a signal, and who follows whom when they differ.

Each status has a state: the one that an admin named, else the first one of a fitting type. Several statuses may share
one. A state that belongs to no status counts by its type.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from helpdesk.integrations.linear.record import Found, LinearIssue, NamedState, State
from helpdesk.platform.record import Record
from helpdesk.signals.kinds import SignalStatus

_TYPES: dict[SignalStatus, tuple[str, ...]] = {
    SignalStatus.OPEN: ("backlog", "unstarted", "triage"),
    SignalStatus.PLANNED: ("unstarted", "backlog"),
    SignalStatus.IN_PROGRESS: ("started",),
    SignalStatus.IN_REVIEW: ("started",),
    SignalStatus.DONE: ("completed",),
    SignalStatus.DECLINED: ("canceled",),
}
"""The types of states for each status, the best one first."""
_WAITING = (SignalStatus.OPEN, SignalStatus.PLANNED)
_STATUSES: dict[str, tuple[SignalStatus, ...]] = {
    "triage": _WAITING,
    "backlog": _WAITING,
    "unstarted": (SignalStatus.PLANNED, SignalStatus.OPEN),
    "started": (SignalStatus.IN_PROGRESS, SignalStatus.IN_REVIEW),
    "completed": (SignalStatus.DONE,),
    "canceled": (SignalStatus.DECLINED,),
    "duplicate": (SignalStatus.DECLINED,),
}
"""The statuses that a state of a type fits, the best one first."""
_REVIEW = "review"


class StateMap:
    """The states of a team for the statuses of signals."""

    def __init__(self, states: Sequence[State], named: Mapping[str, NamedState]) -> None:
        """Take a team's states in the order of its board, and those that an admin named for statuses."""
        self._states = states
        self._by_status: dict[SignalStatus, State] = {}
        for status in SignalStatus:
            found = _chosen(states, named.get(status.value)) or _usual(states, status)
            if found is not None:
                self._by_status[status] = found

    @property
    def are_known(self) -> bool:
        """Whether the team's states are listed."""
        return bool(self._states)

    def state_of(self, status: SignalStatus) -> State | None:
        """Return the state for a status; None if the team has none that fits."""
        return self._by_status.get(status)

    def statuses_of(self, state: State) -> tuple[SignalStatus, ...]:
        """Return the statuses that a state fits, the best one first."""
        mapped = tuple(status for status, each in self._by_status.items() if each.id == state.id)
        return mapped or _STATUSES.get(state.type, _WAITING)


def named_state(states: Sequence[State], name: str) -> State | None:
    """Return the state with a name, in which case does not count."""
    return next((each for each in states if each.name.casefold() == name.strip().casefold()), None)


def _chosen(states: Sequence[State], named: NamedState | None) -> State | None:
    if named is None:
        return None
    by_id = next((each for each in states if each.id == named.id), None)
    return by_id or named_state(states, named.name)


def _usual(states: Sequence[State], status: SignalStatus) -> State | None:
    for kind in _TYPES[status]:
        fitting = [each for each in states if each.type == kind]
        if status is SignalStatus.IN_REVIEW:
            fitting.sort(key=lambda each: _REVIEW not in each.name.casefold())
        if fitting:
            return fitting[0]
    return None


class Follow(StrEnum):
    """What follows where a signal and its issue are compared."""

    AGREE = "agree"
    TAKE = "take"
    """The signal gets the status of the issue's state."""
    PUSH = "push"
    """The issue gets the state of the signal's status."""
    LEAVE = "leave"
    """They differ, and neither has moved: an admin named other states."""


class SignalState(Record):
    """A signal's status, and when that changed last (ms)."""

    status: SignalStatus
    changed_at: int

    def moved_at(self, issue: LinearIssue, found: Found) -> int:
        """Return when a person moved the signal, or the issue that it follows, to this status."""
        if self.status is issue.said:
            return issue.said_at
        return found.at if self.status is issue.taking else self.changed_at


def decide(issue: LinearIssue, signal: SignalState, found: Found, states: StateMap) -> Follow:
    """Return who follows whom. If both have moved, the later move wins."""
    if signal.status in states.statuses_of(found.state):
        return Follow.AGREE
    followed = signal.status is issue.taking  # so the issue has moved again, and may be back where it was
    issue_moved = followed or found.state.id not in {issue.state_id, issue.pushing}
    if issue_moved and found.at >= signal.moved_at(issue, found):
        return Follow.TAKE
    signal_moved = signal.status not in {issue.said, issue.taking}
    return Follow.PUSH if issue_moved or signal_moved or issue.pushing is not None else Follow.LEAVE
