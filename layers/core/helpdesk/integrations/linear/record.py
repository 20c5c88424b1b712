"""Teams and states of a workspace, settings of the tracker, and issues of signals. Times are in ms."""

from collections.abc import Mapping, Sequence
from copy import replace
from enum import StrEnum
from typing import Self

from helpdesk.integrations.app_settings import SettingsRecord
from helpdesk.platform.record import Record, field
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored


class State(Record):
    """A state of a team's workflow. `type` is Linear's: backlog, unstarted, started, completed, canceled and others."""

    id: str
    name: str
    type: str


class NamedState(Record):
    """A state that an admin named. It keeps its id when it is renamed; in other teams its name counts."""

    id: str
    name: str


class LinearTeam(Stored, kw_only=True):
    """A team of a workspace, with its states in the order of its board. `prefix` begins its issues' identifiers."""

    PK, SK = "ORG#{organization}#INTEGRATION", "TEAM#{account_id}#{id}"
    organization: str
    account_id: str
    id: str
    prefix: str = field(name="key")
    name: str
    states: tuple[State, ...]


class LinearDirectory(Stored, kw_only=True):
    """When the teams of a workspace were listed, and last asked for (ms)."""

    PK, SK = "ORG#{organization}#INTEGRATION", "TEAMS#{account_id}"
    organization: str
    account_id: str
    listed_at: int | None = None
    asked_at: int | None = None


class LinearSettings(SettingsRecord, kw_only=True):
    """Settings of the tracker.

    account_id   the workspace that the team is in
    team_id      where issues are opened; `team` is the key that the team had when it was named
    auto_create  whether an issue is opened as a signal is filed
    states       states for statuses of signals, where another one than the usual is wanted
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#tracker"
    account_id: str | None = None
    team_id: str | None = None
    team: str | None = None
    auto_create: bool = False
    states: dict[str, NamedState] = field(default_factory=dict)

    def within(self, account_id: str) -> Self:
        """Return the settings as they are in a workspace: a team of another one doesn't count."""
        return self if self.account_id == account_id else self.cleared()


class Found(Record, kw_only=True):
    """An issue as Linear shows it; `at` is when anything about it changed last."""

    id: str
    identifier: str
    url: str
    state: State
    team_id: str
    at: int
    trashed: bool


class LinearIssue(Stored, kw_only=True):
    """The issue of a signal, or one that is being opened.

    identifier  such as ENG-12; None while it is being opened
    state_id    the state that it had when it was last known; empty if a person moved it before it was linked
    pushing     the state that it is being moved to, None if to none: a move to it is ours
    said        the signal's status that the issue was brought in line with
    said_at     when a person moved either of them to where both agreed
    taking      the status that the signal is being moved to, None if to none: a move to it is the issue's
    at          when the issue changed last, as far as is known
    version     counts the writes of the item; each write requires it
    """

    PK, SK = "ORG#{organization}#TRACKER#{account_id}", "ISSUE#{id}"
    organization: str
    account_id: str
    id: str
    signal_id: str
    team_id: str
    said: SignalStatus
    identifier: str | None = None
    url: str = ""
    state_id: str = ""
    pushing: str | None = None
    taking: SignalStatus | None = None
    said_at: int = 0
    at: int = 0
    version: int = 1

    def as_found(self, found: Found, said: SignalStatus, said_at: int) -> "LinearIssue":
        """Return the issue as Linear shows it, in line with a status that a person chose at an instant (ms)."""
        return replace(
            self,
            team_id=found.team_id,
            identifier=found.identifier,
            url=found.url,
            state_id=found.state.id,
            pushing=None,
            taking=None,
            said=said,
            said_at=said_at,
            at=max(found.at, self.at),
        )


class LinearRequest(Stored, kw_only=True):
    """What was asked for about the issue of a signal.

    wanted   a team's id or an issue's identifier, with the word for which; None if nothing is
    problem  what Linear said to it, None if nothing yet
    removed  how many issues of the signal were deleted at Linear: a next one gets another id
    """

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "REQUEST#tracker"
    organization: str
    signal_id: str
    wanted: str | None = None
    problem: str | None = None
    removed: int = 0


teams = Collection(LinearTeam)
requests = Collection(LinearRequest)


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
