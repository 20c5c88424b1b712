"""Export of a customer's record and of the facts about them."""

from helpdesk.customers import repository
from helpdesk.customers.record import Customer, Fact


def customer(organization: str, customer_id: str) -> Customer:
    """Return a customer. Raises CustomerNotFound, also for one who is being erased."""
    return repository.get(organization, customer_id)


def facts_after(organization: str, customer_id: str, after: str, limit: int) -> tuple[list[Fact], bool]:
    """Return facts after a fact's id (empty: the first ones), oldest first, and whether more follow. One query."""
    return repository.facts_after(organization, customer_id, after, limit)
