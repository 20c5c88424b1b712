"""Facts about customers as responses."""

from helpdesk.customers.record import Fact
from helpdesk.customers.schemas import FactShape
from helpdesk.storage import by_name as by_names


def fact_shape(fact: Fact) -> FactShape:
    """Return a fact as the team sees it."""
    return FactShape.from_record(fact, created_by=by_names.id_of(fact.created_by_name))
