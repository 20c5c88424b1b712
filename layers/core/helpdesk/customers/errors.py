"""What the routes of customers can refuse (Specification: Errors, Inbox; Not found)."""

from helpdesk.platform.errors import AppError


class CustomerNotFound(AppError):
    """No such customer in this organization."""

    status, code = 404, "customer_not_found"
    message = "No customer has this id in your organization."


class FactNotFound(AppError):
    """No such fact about this customer."""

    status, code = 404, "fact_not_found"
    message = "No fact about this customer has this id."


class CustomerUnreachable(AppError):
    """There is no way to the customer: neither a session to read it in, nor an e-mail address."""

    status, code = 400, "customer_unreachable"
    message = (
        "This customer has neither a session, in which they would see a message, nor an e-mail address that this "
        "deployment can send to. Have them write to you first, with their address as `user.email` of POST "
        "/v1/messages, and reply there."
    )
