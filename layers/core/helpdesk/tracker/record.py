"""Teams and states of a workspace, settings of the tracker, and issues of signals. Times are in ms."""

from collections.abc import Mapping
from copy import replace
from typing import Any, NamedTuple, Self

from helpdesk.integrations.app_settings import SettingsRecord
from helpdesk.platform.record import Record, field
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage import attributes, keys
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item


class State(NamedTuple):
    """A state of a team's workflow. `type` is Linear's: backlog, unstarted, started, completed, canceled and others."""

    id: str
    name: str
    type: str


class NamedState(NamedTuple):
    """A state that an admin named. It keeps its id when it is renamed; in other teams its name counts."""

    id: str
    name: str

    @classmethod
    def from_attribute(cls, stored: Mapping[str, str] | str) -> Self:
        """Read what is stored: at first it was the name alone."""
        return cls("", stored) if isinstance(stored, str) else cls(stored["id"], stored["name"])


class Team(Record, kw_only=True):
    """A team of a workspace, with its states in the order of its board. `key` begins the identifiers of its issues."""

    organization: str
    account_id: str
    id: str
    key: str
    name: str
    states: tuple[State, ...]

    @property
    def item_key(self) -> keys.TrackerTeam:
        """The key of its item."""
        return keys.TrackerTeam(self.organization, self.account_id, self.id)

    @classmethod
    def from_item(cls, organization: str, account_id: str, item: Item) -> Self:
        """Read a team's item. Raises UnreadableItem."""
        states = item.get("states")
        if not isinstance(states, list):
            raise UnreadableItem("states")
        return cls(
            organization=organization,
            account_id=account_id,
            id=attributes.text(item, "id"),
            key=attributes.text(item, "key"),
            name=attributes.text(item, "name"),
            states=tuple(State(each["id"], each["name"], each["type"]) for each in states),
        )

    def to_item(self) -> Item:
        """Return the team's item."""
        return {
            **self.item_key.attributes(),
            "id": self.id,
            "key": self.key,
            "name": self.name,
            "states": [each._asdict() for each in self.states],
        }


class TrackerSettings(SettingsRecord, kw_only=True):
    """Settings of the tracker.

    account_id   the workspace that the team is in
    team_id      where issues are opened; `team` is the key that the team had when it was named
    auto_create  whether an issue is opened as a signal is filed
    states       states for statuses of signals, where another one than the usual is wanted
    """

    account_id: str | None = None
    team_id: str | None = None
    team: str | None = None
    auto_create: bool = False
    states: Mapping[str, NamedState] = field(default_factory=dict)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            account_id=item.get("accountId"),
            team_id=item.get("teamId"),
            team=item.get("team"),
            auto_create=bool(item.get("autoCreate", False)),
            states={
                status: NamedState.from_attribute(each) for status, each in item.get("states", {}).items()
            },
            problem=item.get("problem"),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "accountId": self.account_id,
            "teamId": self.team_id,
            "team": self.team,
            "autoCreate": self.auto_create,
            "states": {status: each._asdict() for status, each in self.states.items()},
            "problem": self.problem,
        }

    def within(self, account_id: str) -> "TrackerSettings":
        """Return the settings as they are in a workspace: a team of another one is none."""
        return self if self.account_id == account_id else TrackerSettings()


class Found(Record, kw_only=True):
    """An issue as Linear shows it; `at` is when anything about it changed last."""

    id: str
    identifier: str
    url: str
    state: State
    team_id: str
    at: int
    trashed: bool


class Issue(Record, kw_only=True):
    """The issue of a signal.

    identifier  such as ENG-12; None while it is being opened
    state_id    the state that it had when it was last known; empty if a person moved it before it was linked
    pushing     the state that it is being moved to, None if to none: a move to it is ours
    said        the signal's status that the issue was brought in line with
    said_at     when a person moved either of them to where both agreed
    taking      the status that the signal is being moved to, None if to none: a move to it is the issue's
    at          when the issue changed last, as far as is known
    version     counts the writes of the item; each write requires it
    """

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

    @property
    def key(self) -> keys.TrackerIssue:
        """The key of its item."""
        return keys.TrackerIssue(self.organization, self.account_id, self.id)

    def as_found(self, found: Found, said: SignalStatus, said_at: int) -> "Issue":
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

    @classmethod
    def from_item(cls, organization: str, account_id: str, item: Item) -> Self:
        """Read an issue's item. Raises UnreadableItem."""
        try:
            said = SignalStatus(attributes.text(item, "said"))
            taking = None if item.get("taking") is None else SignalStatus(item["taking"])
        except ValueError:
            raise UnreadableItem("said") from None
        return cls(
            organization=organization,
            account_id=account_id,
            id=attributes.text(item, "id"),
            signal_id=attributes.text(item, "signalId"),
            team_id=attributes.text(item, "teamId"),
            said=said,
            identifier=attributes.optional_text(item, "identifier"),
            url=item.get("url", ""),
            state_id=item.get("stateId", ""),
            pushing=attributes.optional_text(item, "pushing"),
            taking=taking,
            said_at=attributes.number(item, "saidAt"),
            at=attributes.number(item, "at"),
            version=attributes.number(item, "version"),
        )

    def to_item(self) -> Item:
        """Return the issue's item."""
        return {
            **self.key.attributes(),
            "id": self.id,
            "signalId": self.signal_id,
            "teamId": self.team_id,
            "said": self.said.value,
            "identifier": self.identifier,
            "url": self.url,
            "stateId": self.state_id,
            "pushing": self.pushing,
            "taking": None if self.taking is None else self.taking.value,
            "saidAt": self.said_at,
            "at": self.at,
            "version": self.version,
        }


class IssueRequest(Record, kw_only=True):
    """What was asked for about the issue of a signal.

    wanted   a team's id or an issue's identifier, with the word for which; None if nothing is
    problem  what Linear said to it, None if nothing yet
    removed  how many issues of the signal were deleted at Linear: a next one gets another id
    """

    wanted: str | None = None
    problem: str | None = None
    removed: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a request's item, which may be empty."""
        return cls(
            wanted=item.get("wanted"), problem=item.get("problem"), removed=int(item.get("removed", 0))
        )
