"""Errors of the erasure routes."""

from helpdesk.platform.errors import NotFoundError


class ErasureNotFound(NotFoundError):
    code = "erasure_not_found"
    message = "No erasure has this ID in your organization. DELETE /v1/customers/{id} returns the ID."
