"""Errors and limits of the issue tracker (Specification: Errors, Integrations)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_TEAM_CHARACTERS = 200
MAX_STATE_CHARACTERS = 200
MAX_IDENTIFIER_CHARACTERS = 40


class TeamNotFound(NotFoundError):
    code = "team_not_found"
    message = (
        "`team` must name a team that the app can see in Linear. GET /v1/integrations/tracker lists them."
    )


class TrackerFailed(BadRequestError):
    code = "tracker_failed"
    message = "Linear rejected the request. Fix the problem it reports and try again."
