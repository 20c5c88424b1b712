"""Bodies and responses of Linear's routes."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, schema_hint
from helpdesk.integrations.errors import MAX_IDENTIFIER_CHARACTERS, MAX_STATE_CHARACTERS, MAX_TEAM_CHARACTERS
from helpdesk.signals.shapes import TrackerIssue

TeamName = Annotated[str, schema_hint(maxLength=MAX_TEAM_CHARACTERS)]
StateName = Annotated[str | None, schema_hint(maxLength=MAX_STATE_CHARACTERS)]


class StatesInput(Body):
    """Names of states in the team, by the status of a signal. An empty name chooses the usual one again."""

    open: StateName = None
    planned: StateName = None
    in_progress: StateName = None
    in_review: StateName = None
    done: StateName = None
    declined: StateName = None


class TrackerUpdate(Body):
    """PATCH /integrations/tracker. Only what is sent changes."""

    team: TeamName | None = None
    """The team in which issues are opened, by its key or name."""
    auto_create: bool | None = None
    """Whether an issue is opened as a signal is filed."""
    states: StatesInput | None = None
    """Which state of the team is which status. Another team begins with the usual ones."""


class TrackerState(Answer):
    """A state of a team's workflow."""

    name: str
    type: str
    """Linear's word: `triage`, `backlog`, `unstarted`, `started`, `completed`, `canceled` or `duplicate`."""


class TrackerTeam(Answer):
    """A team that the app can see."""

    key: str
    """What the identifiers of its issues begin with."""
    name: str
    states: list[TrackerState]


class TrackerStates(Answer):
    """Which state of the team is which status of a signal. Null where the team has none that fits."""

    open: str | None
    planned: str | None
    in_progress: str | None
    in_review: str | None
    done: str | None
    declined: str | None


class TrackerSettingsAnswer(Answer):
    """What is set for the issue tracker, and the teams that there are."""

    team: str | None
    """The key of the team in which issues are opened. Null before one is named."""
    auto_create: bool
    states: TrackerStates
    problem: str | None
    """Why no issue is opened or moved, in Linear's words. Null if nothing is wrong."""
    teams: list[TrackerTeam]


class LinkInput(Body):
    """The body of POST /signals/{id}/tracker. Send at most one of the two; the team that is set if neither."""

    team: TeamName | None = None
    """The team in which an issue is opened, by its key or name."""
    identifier: Annotated[str | None, schema_hint(maxLength=MAX_IDENTIFIER_CHARACTERS)] = None
    """An existing issue, such as `ENG-12`."""


class LinkAnswer(Answer):
    """The issue of a signal."""

    tracker: TrackerIssue | None
    """Null while the issue is being opened or looked up, which takes seconds. The signal then has it."""
