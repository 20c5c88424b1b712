"""Export of a customer's record and of the facts about them."""

from helpdesk.customers import repository
from helpdesk.customers.record import Customer, Fact


def customer(organization: str, customer_id: str) -> Customer:
    """Return a customer. Raises CustomerNotFound, also for one who is being erased."""
    return repository.get(organization, customer_id)


def facts_after(organization: str, customer_id: str, after: str, limit: int) -> tuple[list[Fact], bool]:
    """Return facts after a fact's id (empty: the first ones), oldest first, and whether more follow. One query."""
    start = Fact.key_for(organization, customer_id, after).attributes() if after else None
    found, end = repository.facts.page(organization, customer_id, limit=limit, after=start, consistent=True)
    return found, end is not None
