"""Errors of the log's routes."""

from helpdesk.platform.errors import AppError


class LogNotFound(AppError):
    """No such entry in this organization's log."""

    status, code = 404, "log_not_found"
    message = "No log entry has this ID in your organization."
