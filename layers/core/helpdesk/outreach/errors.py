"""Errors of outreach (Specification: Errors, Inbox)."""

from helpdesk.platform.errors import AppError


class CustomerUnreachable(AppError):
    """The customer cannot be reached: they have neither a session to read in, nor an e-mail address."""

    status, code = 400, "customer_unreachable"
    message = (
        "This customer has neither a session, in which they would see a message, nor an e-mail address that this "
        "deployment can send to. Have them write to you first, with their address as `user.email` of POST "
        "/v1/messages, and reply there."
    )
