"""Who a customer was, as far as anybody had said it, at one moment.

A session's user can change at any time, so a call of a tool keeps the identity that it was asked for.
"""

from helpdesk.customers.record import EXTERNAL_ID, Customer
from helpdesk.platform.record import Record


class Identity(Record):
    """Who a customer was at one moment; None is what nobody had said.

    `external_id` is the organization's own ID of them. `email_verified` means that the organization vouched for the
    address, or the customer proved it. `name` proves nothing.
    """

    external_id: str | None = None
    name: str | None = None
    email: str | None = None
    email_verified: bool = False


def identity_of(customer: Customer | None) -> Identity:
    """Return who a customer is now; None is a customer who was erased."""
    if customer is None:
        return Identity()
    email = customer.email or None
    return Identity(
        external_id=customer.metadata.get(EXTERNAL_ID) or None,
        name=customer.name,
        email=email,
        email_verified=email is not None and not customer.email_is_unproven,
    )
