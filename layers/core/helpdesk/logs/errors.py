"""Errors of the log's routes."""

from helpdesk.platform.errors import AppError


class LogNotFound(AppError):
    """No such entry in this organization's log."""

    status, code = 404, "log_not_found"
    message = "No log entry has this id in your organization."
