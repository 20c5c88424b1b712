"""Settings of Linear, requests for the issues of signals, and the directory of teams and their states.

The worker keeps the directory, so that routes answer without asking Linear. It is listed when a workspace is connected,
each night, when a name is not found, and when Linear refuses a state or an issue is in a team that is not known.
"""

from collections.abc import Mapping, Sequence
from copy import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.app_settings import AppSettings, Listing
from helpdesk.integrations.errors import (
    MAX_IDENTIFIER_CHARACTERS,
    MAX_STATE_CHARACTERS,
    MAX_TEAM_CHARACTERS,
    LinearFailed,
    TeamNotFound,
    some_of,
)
from helpdesk.integrations.linear import api as linear
from helpdesk.integrations.linear import repository
from helpdesk.integrations.linear.record import (
    LinearDirectory,
    LinearSettings,
    LinearTeam,
    NamedState,
    State,
    StateMap,
    named_state,
    teams,
)
from helpdesk.integrations.linear.schemas import (
    LinkAnswer,
    LinkInput,
    StatesInput,
    TrackerSettingsAnswer,
    TrackerState,
    TrackerStates,
    TrackerTeam,
    TrackerUpdate,
)
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import as_name
from helpdesk.signals import service as signals
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction

OPEN, LINK = "tracker_open", "tracker_link"
"""The kinds of jobs: an issue is opened for a signal, or an existing one becomes its issue."""
CHECK = "tracker_look"
"""The kind of the job that compares every issue with its signal, from one of them on."""
SETTINGS = AppSettings(App.LINEAR, LinearSettings)
LISTING = Listing("tracker_teams", LinearDirectory.key_for)
MAX_TEAMS = 500


def settings_of(connection: Connection) -> LinearSettings:
    """Return the settings as they are in a connection's workspace. One call."""
    return SETTINGS.get(connection.organization).within(connection.account_id)


def show(organization: str) -> TrackerSettingsAnswer:
    """Return the settings and the teams. Three calls. Raises LinearNotConnected."""
    connection = integrations.connection(organization, App.LINEAR)
    known = repository.teams_of(organization, connection.account_id)
    return _answer(connection, settings_of(connection), known)


def change(caller: Caller, wanted: TrackerUpdate) -> TrackerSettingsAnswer:
    """Change the fields that were sent; return the settings.

    Raises LinearNotConnected, TeamNotFound, InvalidRequest.
    """
    organization = caller.organization
    connection = integrations.connection(organization, App.LINEAR)
    known = repository.teams_of(organization, connection.account_id)
    named = None if wanted.team is None else _named(connection, known, wanted.team)
    changes = _changes(wanted, named)
    if not changes:
        return _answer(connection, settings_of(connection), known)

    def extra_writes(transaction: Transaction, _before: LinearSettings, _after: LinearSettings) -> None:
        integrations.require(transaction, connection)
        integrations.add_changed(transaction, connection, caller.actor, changes)

    after = SETTINGS.change(
        organization, lambda seen: _next(connection, known, seen, named, wanted), extra_writes
    )
    return _answer(connection, after, known)


def link(organization: str, signal_id: str, wanted: LinkInput) -> LinkAnswer:
    """Ask for an issue of a signal, a new or an existing one; return the issue, None until the worker has it.

    A signal that has an issue keeps it, whichever team is named.
    What Linear said to the same request before is the answer to its repetition, and the worker tries again. Raises
    LinearNotConnected, SignalNotFound, TeamNotFound, LinearFailed, InvalidRequest.
    """
    if wanted.team is not None and wanted.identifier is not None:
        raise InvalidRequest("Send `team` for a new issue or `identifier` for an existing one, not both.")
    signal = signals.get(organization, signal_id)
    connection = integrations.connection(organization, App.LINEAR)
    identifier = None if wanted.identifier is None else wanted.identifier.strip().upper()
    if identifier is not None and not 1 <= len(identifier) <= MAX_IDENTIFIER_CHARACTERS:
        raise InvalidRequest(
            f"`identifier` must be an issue, such as ENG-12, of at most {MAX_IDENTIFIER_CHARACTERS} characters."
        )
    if signal.tracker is not None and identifier in {None, signal.tracker.identifier}:
        if wanted.team is not None:
            _chosen(connection, wanted.team)
        return LinkAnswer.from_record(signal)
    if connection.status is ConnectionStatus.BROKEN:
        raise LinearFailed(connection.problem or LinearFailed.message)
    if identifier is None:
        team_id = _chosen(connection, wanted.team)
        kind, data, request = OPEN, {"teamId": team_id}, f"team {team_id}"
    else:
        kind, data, request = LINK, {"identifier": identifier}, f"issue {identifier}"
    before = repository.request_of(organization, signal_id)
    transaction = Transaction()
    repository.add_request(transaction, organization, signal_id, request)
    data = {"signalId": signal_id, "request": request, **data}
    jobs.put(transaction, IntegrationJob(kind=kind, app=App.LINEAR, organization=organization, data=data))
    transaction.commit()
    if before.wanted == request and before.problem is not None:
        raise LinearFailed(f"Linear rejected this request before. It is being tried again: {before.problem}")
    return LinkAnswer(tracker=None)


def states_of(connection: Connection, team_id: str) -> StateMap:
    """Return the states of a team for the statuses of signals. Two calls."""
    team = teams.find(connection.organization, connection.account_id, team_id)
    named = settings_of(connection).states
    return StateMap(() if team is None else team.states, named)


def set_problem(connection: Connection, problem: Exception | None) -> None:
    """Record what Linear said when it refused, or with None that it takes requests."""
    SETTINGS.set_problem(
        connection.organization,
        None if problem is None else str(problem),
        applies=lambda seen: seen.account_id == connection.account_id,
    )


def _next(
    connection: Connection,
    known: Sequence[LinearTeam],
    stored: LinearSettings,
    named: LinearTeam | None,
    wanted: TrackerUpdate,
) -> LinearSettings:
    seen = stored.within(connection.account_id)
    after = replace(seen, account_id=connection.account_id)
    if named is not None and named.id != seen.team_id:
        after = replace(after, team_id=named.id, team=named.prefix, states={}, problem=None)
    if wanted.auto_create is not None:
        after = replace(after, auto_create=wanted.auto_create)
    team = next((each for each in known if each.id == after.team_id), None)
    if (after.auto_create or wanted.states is not None) and team is None:
        raise TeamNotFound(f"Name a team first. {_existing(known)}")
    if wanted.states is not None and team is not None:
        after = replace(after, states=_states(team, after.states, wanted.states))
    return after


def _states(team: LinearTeam, seen: Mapping[str, NamedState], wanted: StatesInput) -> dict[str, NamedState]:
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
            raise InvalidRequest(f"`states` must name states of the team {team.prefix}: {known}.")
    return states


def _field(status: SignalStatus) -> str:
    return status.value.replace(" ", "_")


def _chosen(connection: Connection, name: str | None) -> str:
    """Return the id of the team that is named, or set. Raises TeamNotFound."""
    if name is None:
        found = settings_of(connection)
        if found.team_id is not None:
            return found.team_id
    known = repository.teams_of(connection.organization, connection.account_id)
    if name is None:
        raise TeamNotFound(f"Name a team. {_existing(known)}")
    return _named(connection, known, name).id


def _named(connection: Connection, known: Sequence[LinearTeam], name: str) -> LinearTeam:
    wanted = name.strip().casefold()
    for each in known:
        if wanted == each.prefix.casefold():
            return each
    for each in known:
        if wanted == each.name.casefold():
            return each
    LISTING.request_soon(connection)
    raise TeamNotFound(f"No team has this name. {_existing(known)}")


def _existing(known: Sequence[LinearTeam]) -> str:
    if not known:
        return "The teams aren't listed yet. Try again in a few seconds."
    return f"The teams are {some_of([f'{each.prefix} ({each.name})' for each in known])}."


def _answer(
    connection: Connection, found: LinearSettings, known: Sequence[LinearTeam]
) -> TrackerSettingsAnswer:
    team = next((each for each in known if each.id == found.team_id), None)
    states = StateMap(() if team is None else team.states, found.states)
    gone = None
    if found.team is not None and team is None and known:
        gone = (
            f"The app no longer has access to the team {found.team} in Linear. "
            "Name another team, or give the app access."
        )
    names = {
        _field(status): None if (state := states.state_of(status)) is None else state.name
        for status in SignalStatus
    }
    return TrackerSettingsAnswer(
        team=found.team if team is None else team.prefix,
        auto_create=found.auto_create,
        states=TrackerStates(**names),
        problem=connection.problem or gone or found.problem,
        teams=[_team(each) for each in known],
    )


def _team(found: LinearTeam) -> TrackerTeam:
    states = [TrackerState.model_validate(each, from_attributes=True) for each in found.states]
    return TrackerTeam(key=found.prefix, name=found.name, states=states)


def _changes(wanted: TrackerUpdate, team: LinearTeam | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the team {team.prefix}"] if team else []),
        *([f"new issues {'on' if wanted.auto_create else 'off'}"] if wanted.auto_create is not None else []),
        *(["other states"] if wanted.states and wanted.states.model_dump(exclude_none=True) else []),
    ]


def refresh_directory(account: Account) -> str:
    """List the teams and write what changed; return the outcome. Raises Refused, Revoked, TryLater."""
    connection = account.connection
    listed = _listed(account)
    repository.put_teams(listed, repository.teams_of(connection.organization, connection.account_id))
    table.change(LISTING.key(connection), set={"listed_at": clock.now_ms()}, or_new=True)
    return "listed"


def refresh_directory_soon(account: Account) -> None:
    """List the teams at once, unless that was asked for in the last minute. Raises Refused, Revoked, TryLater."""
    if LISTING.claim(account.connection):
        refresh_directory(account)


def _listed(account: Account) -> list[LinearTeam]:
    found: list[LinearTeam] = []
    after: str | None = None
    while len(found) < MAX_TEAMS:
        said = linear.ask(account, linear.TEAMS, {"after": after})["teams"]
        for each in said["nodes"]:
            states = sorted(each["states"]["nodes"], key=lambda state: float(state["position"]))
            found.append(
                LinearTeam(
                    organization=account.connection.organization,
                    account_id=account.connection.account_id,
                    id=each["id"],
                    prefix=each["key"],
                    name=as_name(each["name"], MAX_TEAM_CHARACTERS),
                    states=tuple(
                        State(state["id"], as_name(state["name"], MAX_STATE_CHARACTERS), state["type"])
                        for state in states
                    ),
                )
            )
        after = said["pageInfo"]["endCursor"] if said["pageInfo"]["hasNextPage"] else None
        if after is None:
            break
    return found[:MAX_TEAMS]
