"""Errors of the log's routes."""

from helpdesk.platform.errors import NotFoundError


class LogNotFound(NotFoundError):
    code = "log_not_found"
    message = "No log entry has this ID in your organization. GET /v1/logs lists them."
