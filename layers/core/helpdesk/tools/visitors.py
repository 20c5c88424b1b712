"""For whom a tool is called, as its server reads it."""

from helpdesk.customers.record import Customer
from helpdesk.platform.frozen_record import FrozenRecord

EXTERNAL_ID = "externalId"
"""The entry of a customer's metadata that holds the organization's own ID of them."""


class Visitor(FrozenRecord):
    """For whom a tool is called. `external_id` is the organization's own ID of them. None is what is not known."""

    external_id: str | None
    name: str | None
    email: str | None


def visitor_of(customer: Customer) -> Visitor | None:
    """Return what the organization's messages said about a customer; None if that identifies nobody.

    The organization's own ID is the entry `externalId` of `user.metadata`. A name alone identifies nobody.
    """
    external_id = customer.metadata.get(EXTERNAL_ID) or None
    if external_id is None and not customer.email:
        return None
    return Visitor(external_id, customer.name, customer.email)
