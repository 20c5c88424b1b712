"""Errors of outreach (Specification: Errors, Inbox)."""

from helpdesk.platform.errors import AppError


class CustomerUnreachable(AppError):
    """The customer cannot be reached: they have neither a session to read in, nor an e-mail address."""

    status, code = 400, "customer_unreachable"
    message = (
        "This customer has neither a session, in which they would see a message, nor an e-mail address that this "
        "deployment can send to. Add their address with PATCH /v1/customers/{id}, or have them write to you first with "
        "POST /v1/messages."
    )
