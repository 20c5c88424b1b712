"""The rules of teams."""

from collections.abc import Callable, Mapping, Sequence
from copy import replace

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.errors import NotAMember
from helpdesk.accounts.teams.errors import (
    MAX_TEAM_MEMBERS,
    MAX_TEAM_NAME_CHARACTERS,
    MAX_TEAMS,
    TeamExists,
    TeamNotFound,
    TooManyTeams,
)
from helpdesk.accounts.teams.record import Team, Teams
from helpdesk.accounts.teams.schemas import TeamInput, TeamsAnswer, TeamShape, TeamUpdate
from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import valid_name
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

type Changed = Callable[[dict[str, Team]], dict[str, Team]]

_NO_MEMBERS = "`memberIds` must be IDs of members of your organization. GET /v1/members lists them."

_stored = Collection(Teams)


def listed(organization: str) -> TeamsAnswer:
    """Return all teams. One read, and one batch read for each hundred members of teams."""
    teams = _all(organization).teams
    people = {member for team in teams.values() for member in team.member_ids}
    present = membership.names_of(organization, sorted(people))
    return TeamsAnswer(teams=[_shape(team_id, team, present) for team_id, team in sorted(teams.items())])


def names_of(organization: str, team_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those teams that exist, by ID. One read."""
    teams = _all(organization).teams
    return {team_id: teams[team_id].name for team_id in team_ids if team_id in teams}


def create(caller: Caller, new: TeamInput) -> TeamShape:
    """Create a team. Raises InvalidRequest, NotAMember, TeamExists, TooManyTeams."""
    name = valid_name(new.name, MAX_TEAM_NAME_CHARACTERS)
    members = _members(caller.organization, new.member_ids or [])
    team_id, team = ids.new("team"), Team(name, members)

    def changed(teams: dict[str, Team]) -> dict[str, Team]:
        if len(teams) >= MAX_TEAMS:
            raise TooManyTeams
        _require_free(teams, name)
        return {**teams, team_id: team}

    _change(caller, changed, f'The team "{name}" was created.')
    return TeamShape(id=team_id, name=name, member_ids=list(members))


def update(caller: Caller, team_id: str, wanted: TeamUpdate) -> TeamShape:
    """Change a team's name or members. Raises TeamNotFound, InvalidRequest, NotAMember, TeamExists."""
    name = None if wanted.name is None else valid_name(wanted.name, MAX_TEAM_NAME_CHARACTERS)

    def changed(teams: dict[str, Team]) -> dict[str, Team]:
        team = _require(teams, team_id)
        if name is not None:
            _require_free(teams, name, but=team_id)
            team = replace(team, name=name)
        if wanted.member_ids is not None:
            team = replace(team, member_ids=_members(caller.organization, wanted.member_ids))
        return {**teams, team_id: team}

    team = _change(caller, changed, f"The team {team_id} was changed.").teams[team_id]
    return _shape(team_id, team, membership.names_of(caller.organization, team.member_ids))


def remove(caller: Caller, team_id: str) -> None:
    """Delete a team. Conversations that are assigned to it keep its ID. Raises TeamNotFound."""

    def changed(teams: dict[str, Team]) -> dict[str, Team]:
        _require(teams, team_id)
        return {each: team for each, team in teams.items() if each != team_id}

    _change(caller, changed, f"The team {team_id} was deleted.")


def _all(organization: str) -> Teams:
    return _stored.find(organization) or Teams(organization=organization)


def _change(caller: Caller, changed: Changed, summary: str) -> Teams:
    """Write the teams after a change, and log it; a change that changes nothing writes nothing."""

    def attempt() -> Teams:
        seen = _all(caller.organization)
        teams = changed(seen.teams)
        if teams == seen.teams:
            return seen
        transaction = Transaction()
        after = transaction.save(seen, replace(seen, teams=teams), on_failure=ConditionFailed)
        transaction.put(
            logs.entry(
                caller.organization,
                LogKind.SETTINGS_CHANGED,
                actor=caller.actor,
                summary=summary,
                settings=["teams"],
            )
        )
        transaction.commit()
        return after

    return repeat_when_stale(attempt, ConditionFailed)


def _members(organization: str, member_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the IDs without repetitions. Raises InvalidRequest, NotAMember."""
    if len(member_ids) > MAX_TEAM_MEMBERS:
        raise InvalidRequest(f"`memberIds` must have at most {MAX_TEAM_MEMBERS} entries.")
    wanted = tuple(dict.fromkeys(member_ids))
    try:
        found = membership.names_of(organization, wanted)
    except MalformedKey:  # text that cannot be an ID is as absent as an unknown one
        raise NotAMember(_NO_MEMBERS) from None
    if len(found) < len(wanted):
        raise NotAMember(_NO_MEMBERS)
    return wanted


def _require(teams: Mapping[str, Team], team_id: str) -> Team:
    if team_id not in teams:
        raise TeamNotFound
    return teams[team_id]


def _require_free(teams: Mapping[str, Team], name: str, *, but: str | None = None) -> None:
    taken = {team.name.casefold() for team_id, team in teams.items() if team_id != but}
    if name.casefold() in taken:
        raise TeamExists


def _shape(team_id: str, team: Team, present: Mapping[str, str]) -> TeamShape:
    members = [member for member in team.member_ids if member in present]
    return TeamShape(id=team_id, name=team.name, member_ids=members)
