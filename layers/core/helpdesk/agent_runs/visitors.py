"""For whom a run calls tools."""

from helpdesk.customers.record import Customer
from helpdesk.tools.calling import Visitor

EXTERNAL_ID = "externalId"
"""The entry of a customer's metadata that holds the organization's own id of them."""


def visitor_of(customer: Customer) -> Visitor | None:
    """Return what the organization's messages said about a customer; None if that identifies nobody."""
    external_id = customer.metadata.get(EXTERNAL_ID) or None
    if external_id is None and not customer.email:
        return None
    return Visitor(external_id, customer.name, customer.email)
