"""Errors of the customer routes (Specification: Errors, Inbox; Not found)."""

from helpdesk.platform.errors import AppError


class CustomerNotFound(AppError):
    """No such customer in this organization."""

    status, code = 404, "customer_not_found"
    message = "No customer has this ID in your organization."


class FactNotFound(AppError):
    """No such fact about this customer."""

    status, code = 404, "fact_not_found"
    message = "No fact about this customer has this ID."
