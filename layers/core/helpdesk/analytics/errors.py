"""Errors of the analytics routes (Specification: Errors, Inbox, knowledge, signals, tasks)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError


class InvalidQuery(BadRequestError):
    """The query names a field or measure that its dataset does not have; the message lists those that it has."""

    code = "invalid_query"
    message = "Name fields that the dataset has; GET /v1/analytics/datasets lists them."


class ReportNotFound(NotFoundError):
    code = "report_not_found"
    message = "No report has this name."
