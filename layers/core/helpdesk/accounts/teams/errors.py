"""Errors and limits of teams. The specification does not have them."""

from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError

MAX_TEAMS = 50
MAX_TEAM_NAME_CHARACTERS = 80
MAX_TEAM_MEMBERS = 100


class TeamNotFound(NotFoundError):
    code = "team_not_found"
    message = "No team of your organization has this ID. GET /v1/teams lists them."


class TooManyTeams(BadRequestError):
    code = "too_many_teams"
    message = f"Your organization has {MAX_TEAMS} teams. Delete one first."


class TeamExists(ConflictError):
    """Names are compared without regard to case."""

    code = "team_exists"
    message = "Another team has this name. Choose another name."
