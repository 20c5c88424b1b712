"""What an organization sets for the issue tracker, and what its people ask for about single signals."""

from collections.abc import Mapping, Sequence
from copy import replace
from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.integrations import jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform.errors import InvalidRequest
from helpdesk.signals import service as signals
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage.transactions import Transaction
from helpdesk.tracker import directory, repository
from helpdesk.tracker.errors import MAX_IDENTIFIER_CHARACTERS, TeamNotFound, TrackerFailed
from helpdesk.tracker.mapping import StateMap, named_state
from helpdesk.tracker.record import NamedState, Team, TrackerSettings
from helpdesk.tracker.schemas import (
    LinkAnswer,
    LinkInput,
    StatesInput,
    TrackerSettingsAnswer,
    TrackerState,
    TrackerStates,
    TrackerTeam,
    TrackerUpdate,
)

OPEN, LINK = "tracker_open", "tracker_link"
"""The kinds of jobs: an issue is opened for a signal, or an existing one becomes its issue."""
LOOK = "tracker_look"
"""The kind of the job that compares every issue with its signal, from one of them on."""
NAMED = 40
"""How many teams the message of team_not_found names."""


def settings(organization: str) -> TrackerSettings:
    """Return what is set. One call."""
    return TrackerSettings.from_item(integrations.settings(organization, App.TRACKER))


def show(organization: str) -> TrackerSettingsAnswer:
    """Return what is set, and the teams. Three calls. Raises TrackerNotConnected."""
    found, connection = settings(organization), integrations.connection(organization, App.TRACKER)
    teams = repository.teams(organization, connection.account_id)
    return _answer(connection, found.within(connection.account_id), teams)


def change(caller: Caller, wanted: TrackerUpdate) -> TrackerSettingsAnswer:
    """Change what is sent; return what is set then. Raises TrackerNotConnected, TeamNotFound, InvalidRequest."""
    organization = caller.organization
    connection = integrations.connection(organization, App.TRACKER)
    teams = repository.teams(organization, connection.account_id)
    named = None if wanted.team is None else _named(connection, teams, wanted.team)
    changes = _changes(wanted, named)
    if not changes:
        return _answer(connection, settings(organization).within(connection.account_id), teams)
    became: list[TrackerSettings] = []  # with each try

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        seen = TrackerSettings.from_item(item).within(connection.account_id)
        became.append(_next(connection, teams, seen, named, wanted))
        return became[-1].to_item()

    def also(transaction: Transaction) -> None:
        integrations.require(transaction, connection)
        integrations.add_changed(transaction, connection, caller.actor, changes)

    integrations.change_settings(organization, App.TRACKER, next_settings, also)
    return _answer(connection, became[-1], teams)


def link(organization: str, signal_id: str, wanted: LinkInput) -> LinkAnswer:
    """Ask for an issue of a signal, a new or an existing one; return the issue, None until the worker has it.

    A signal that has an issue keeps it, whichever team is named.
    What Linear said to the same request before is the answer to its repetition, and the worker tries again. Raises
    TrackerNotConnected, SignalNotFound, TeamNotFound, TrackerFailed, InvalidRequest.
    """
    if wanted.team is not None and wanted.identifier is not None:
        raise InvalidRequest("Send `team` for a new issue, or `identifier` for an existing one, not both.")
    signal = signals.get(organization, signal_id)
    connection = integrations.connection(organization, App.TRACKER)
    identifier = None if wanted.identifier is None else wanted.identifier.strip().upper()
    if identifier is not None and not 1 <= len(identifier) <= MAX_IDENTIFIER_CHARACTERS:
        raise InvalidRequest(
            f"`identifier` must name an issue, such as ENG-12, in at most {MAX_IDENTIFIER_CHARACTERS} characters."
        )
    if signal.tracker is not None and identifier in {None, signal.tracker.identifier}:
        if wanted.team is not None:
            _chosen(connection, wanted.team)
        return LinkAnswer.from_record(signal)
    if connection.status is ConnectionStatus.BROKEN:
        raise TrackerFailed(connection.problem or TrackerFailed.message)
    if identifier is None:
        team_id = _chosen(connection, wanted.team)
        kind, data, request = OPEN, {"teamId": team_id}, f"team {team_id}"
    else:
        kind, data, request = LINK, {"identifier": identifier}, f"issue {identifier}"
    before = repository.request_of(organization, signal_id)
    transaction = Transaction()
    repository.add_request(transaction, organization, signal_id, request)
    data = {"signalId": signal_id, "request": request, **data}
    jobs.put(transaction, IntegrationJob(kind=kind, app=App.TRACKER, organization=organization, data=data))
    transaction.commit()
    if before.wanted == request and before.problem is not None:
        raise TrackerFailed(f"Linear refused this before, and is asked again now: {before.problem}")
    return LinkAnswer(tracker=None)


def states_of(connection: Connection, team_id: str) -> StateMap:
    """Return the states of a team for the statuses of signals. Two calls."""
    team = repository.team(connection.organization, connection.account_id, team_id)
    named = settings(connection.organization).within(connection.account_id).states
    return StateMap(() if team is None else team.states, named)


def note_problem(connection: Connection, problem: str | None) -> None:
    """Note what Linear said when it refused, or with None that it takes requests."""
    found = settings(connection.organization)
    if found.account_id != connection.account_id or found.problem == problem:
        return

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        seen = TrackerSettings.from_item(item)
        return (
            replace(seen, problem=problem) if seen.account_id == connection.account_id else seen
        ).to_item()

    integrations.change_settings(connection.organization, App.TRACKER, next_settings)


def _next(
    connection: Connection,
    teams: Sequence[Team],
    seen: TrackerSettings,
    named: Team | None,
    wanted: TrackerUpdate,
) -> TrackerSettings:
    after = replace(seen, account_id=connection.account_id)
    if named is not None and named.id != seen.team_id:
        after = replace(after, team_id=named.id, team=named.key, states={}, problem=None)
    if wanted.auto_create is not None:
        after = replace(after, auto_create=wanted.auto_create)
    team = next((each for each in teams if each.id == after.team_id), None)
    if (after.auto_create or wanted.states is not None) and team is None:
        raise TeamNotFound(f"Name a team first. {_existing(teams)}")
    if wanted.states is not None and team is not None:
        after = replace(after, states=_states(team, after.states, wanted.states))
    return after


def _states(team: Team, seen: Mapping[str, NamedState], wanted: StatesInput) -> dict[str, NamedState]:
    states = dict(seen)
    for status in SignalStatus:
        field = _field(status)
        name = getattr(wanted, field)
        if name is None:
            continue
        found = named_state(team.states, name)
        if found is not None:
            states[status.value] = NamedState(found.id, found.name)
        elif not name.strip():
            states.pop(status.value, None)
        else:
            known = ", ".join(each.name for each in team.states)
            raise InvalidRequest(f"`states` must name states of the team {team.key}: {known}.")
    return states


def _field(status: SignalStatus) -> str:
    return status.value.replace(" ", "_")


def _chosen(connection: Connection, name: str | None) -> str:
    """Return the id of the team that is named, or set. Raises TeamNotFound."""
    if name is None:
        found = settings(connection.organization).within(connection.account_id)
        if found.team_id is not None:
            return found.team_id
    teams = repository.teams(connection.organization, connection.account_id)
    if name is None:
        raise TeamNotFound(f"Name a team. {_existing(teams)}")
    return _named(connection, teams, name).id


def _named(connection: Connection, teams: Sequence[Team], name: str) -> Team:
    wanted = name.strip().casefold()
    for each in teams:
        if wanted == each.key.casefold():
            return each
    for each in teams:
        if wanted == each.name.casefold():
            return each
    directory.ask(connection)
    raise TeamNotFound(f"No team has this name. {_existing(teams)}")


def _existing(teams: Sequence[Team]) -> str:
    if not teams:
        return "Linear has not listed its teams yet: send the request again in a few seconds."
    listed = ", ".join(f"{each.key} ({each.name})" for each in teams[:NAMED])
    return f"The teams are {listed}{' and others' if len(teams) > NAMED else ''}."


def _answer(connection: Connection, found: TrackerSettings, teams: Sequence[Team]) -> TrackerSettingsAnswer:
    team = next((each for each in teams if each.id == found.team_id), None)
    states = StateMap(() if team is None else team.states, found.states)
    gone = None
    if found.team is not None and team is None and teams:
        gone = f"Linear no longer shows the team {found.team} to the app. Name another team, or let the app see it."
    names = {
        _field(status): None if (state := states.state_of(status)) is None else state.name
        for status in SignalStatus
    }
    return TrackerSettingsAnswer(
        team=found.team if team is None else team.key,
        auto_create=found.auto_create,
        states=TrackerStates(**names),
        problem=connection.problem or gone or found.problem,
        teams=[
            TrackerTeam(
                key=each.key,
                name=each.name,
                states=[TrackerState(name=state.name, type=state.type) for state in each.states],
            )
            for each in teams
        ],
    )


def _changes(wanted: TrackerUpdate, team: Team | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the team {team.key}"] if team else []),
        *([f"new issues {'on' if wanted.auto_create else 'off'}"] if wanted.auto_create is not None else []),
        *(["other states"] if wanted.states and wanted.states.model_dump(exclude_none=True) else []),
    ]
