"""Errors of the analytics routes (Specification: Errors, Inbox, knowledge, signals, tasks)."""

from helpdesk.platform.errors import AppError


class InvalidQuery(AppError):
    """The query names a field or a measure that its dataset does not have; the message lists those that it has."""

    status, code = 400, "invalid_query"
    message = "Name fields that the dataset has; GET /v1/analytics/datasets lists them."


class ReportNotFound(AppError):
    """No report has this name."""

    status, code = 404, "report_not_found"
    message = "No report has this name."
