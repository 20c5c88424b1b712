"""Errors of outreach (Specification: Errors, Inbox)."""

from helpdesk.platform.errors import BadRequestError


class CustomerUnreachable(BadRequestError):
    code = "customer_unreachable"
    message = (
        "This customer has no session to see a message in and no email address that this deployment can send to. "
        "Add their address with PATCH /v1/customers/{id}, or have them write to you first with POST /v1/messages."
    )
