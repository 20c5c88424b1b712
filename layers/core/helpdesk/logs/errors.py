"""What the log's routes can refuse."""

from helpdesk.platform.errors import AppError


class LogNotFound(AppError):
    """No such entry in this organization's log."""

    status, code = 404, "log_not_found"
    message = "No log entry has this id in your organization."
