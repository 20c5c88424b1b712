"""How a customer and the facts about them look to the team."""

from helpdesk.customers.record import Customer, Fact
from helpdesk.customers.schemas import CustomerShape, FactShape
from helpdesk.storage import by_name as by_names


def customer_shape(customer: Customer) -> CustomerShape:
    """Return a customer as the team sees it."""
    return CustomerShape(
        id=customer.id,
        name=customer.name,
        email=customer.email,
        avatar_url=customer.avatar_url,
        metadata=customer.metadata,
        created_at=customer.created_at,
        updated_at=customer.updated_at,
    )


def fact_shape(fact: Fact) -> FactShape:
    """Return a fact as the team sees it."""
    return FactShape(
        id=fact.id,
        text=fact.text,
        created_at=fact.created_at,
        created_by=by_names.id_of(fact.created_by_name),
        created_by_name=fact.created_by_name,
    )
