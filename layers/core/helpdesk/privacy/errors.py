"""Errors of the erasure routes."""

from helpdesk.platform.errors import AppError


class ErasureNotFound(AppError):
    """No such erasure in this organization."""

    status, code = 404, "erasure_not_found"
    message = "No erasure has this ID in your organization. DELETE /v1/customers/{id} returns the ID."
