"""The pages that say what went wrong."""

from http import HTTPStatus

from helpdesk.api.http.content import Content
from helpdesk.platform.errors import AppError
from helpdesk.site import rendering
from helpdesk.site.errors import StillMoving
from helpdesk.site.visit import Visit

_NAMES = {
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.GONE: "gone",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
    HTTPStatus.FORBIDDEN: "refused",
    HTTPStatus.BAD_REQUEST: "refused",
}


def page(visit: Visit | None, error: AppError) -> Content:
    """Return the page for an error; without a visit, which has no site, a plain one."""
    name = "moving" if isinstance(error, StillMoving) else _NAMES.get(HTTPStatus(error.status), "failed")
    return rendering.problem(visit, name, error.status, headers=error.headers)
