"""Errors of the customer routes (Specification: Errors, Inbox; Not found)."""

from helpdesk.platform.errors import NotFoundError


class CustomerNotFound(NotFoundError):
    code = "customer_not_found"
    message = "No customer has this ID in your organization. GET /v1/customers lists them."


class FactNotFound(NotFoundError):
    code = "fact_not_found"
    message = "No fact about this customer has this ID. GET /v1/customers/{id} lists them."
