"""Request and response models of the team routes."""

from typing import Annotated

from helpdesk.accounts.teams.errors import MAX_TEAM_MEMBERS, MAX_TEAM_NAME_CHARACTERS
from helpdesk.api.http.schemas import Answer, Body, schema_hint

TeamName = Annotated[str, schema_hint(minLength=1, maxLength=MAX_TEAM_NAME_CHARACTERS)]
MemberIds = Annotated[list[str], schema_hint(maxItems=MAX_TEAM_MEMBERS)]


class TeamInput(Body):
    """The body of POST /teams."""

    name: TeamName
    """1 to 80 characters after trimming. No other team has it, in upper or lower case."""
    member_ids: MemberIds | None = None
    """The IDs of its members, up to 100. They must be members of the organization."""


class TeamUpdate(Body):
    """The body of PATCH /teams/{teamId}; omitted fields stay as they are."""

    name: TeamName | None = None
    """1 to 80 characters after trimming. No other team has it, in upper or lower case."""
    member_ids: MemberIds | None = None
    """The IDs of all its members, up to 100. They replace the former ones."""


class TeamShape(Answer):
    """A team: a group of members that conversations are assigned to."""

    id: str
    name: TeamName
    member_ids: MemberIds
    """In the order in which they were given, without members who have left the organization."""


class TeamsAnswer(Answer):
    """GET /teams: all teams, up to 50, the first created first."""

    teams: list[TeamShape]
