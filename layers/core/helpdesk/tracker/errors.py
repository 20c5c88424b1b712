"""Errors and limits of the issue tracker (Specification: Errors, Integrations)."""

from helpdesk.platform.errors import AppError

MAX_TEAM_CHARACTERS = 200
MAX_STATE_CHARACTERS = 200
MAX_IDENTIFIER_CHARACTERS = 40


class TeamNotFound(AppError):
    """No team has the name; the message lists those that exist."""

    status, code = 404, "team_not_found"
    message = "Name a team that the app can see in Linear. GET /v1/integrations/tracker lists them."


class TrackerFailed(AppError):
    """Linear refused, or rejects our credentials; the message has its words."""

    status, code = 400, "tracker_failed"
    message = "Linear refused. Change what it names, and send the request again."
