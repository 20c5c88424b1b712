"""Reading customers: their list, and one customer with the facts about them."""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.customers import repository
from helpdesk.customers.record import Fact
from helpdesk.customers.schemas import (
    CustomerAnswer,
    CustomersAnswer,
    CustomerShape,
    CustomersQuery,
    FactShape,
)
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import service as search


def newest(caller: Caller, query: CustomersQuery, limit: int | None = None) -> CustomersAnswer:
    """Return a page of customers, the newest first, of the query's size or `limit`.

    It can hold fewer, even none, while there is a cursor. Raises InvalidRequest, InvalidCursor.
    """
    limit = query.limit if limit is None else limit
    text = None if query.q is None else trimmed(query.q)
    if text is not None and is_blank(text):
        raise InvalidRequest("`q` must not be blank. Omit it to list all customers.")
    name = f"customers?{text!r}"  # None is not the text "None"
    start = position(caller, query, name)
    if text is not None:
        hits = search.customers(caller.organization, text, limit, start)
        known = repository.by_ids(caller.organization, hits.ids)
        shapes = [
            CustomerShape.from_record(known[customer_id]) for customer_id in hits.ids if customer_id in known
        ]
        return CustomersAnswer(customers=shapes, next_cursor=next_cursor(caller, hits.after, name))
    found, end = repository.customers.newest(caller.organization, limit=limit, before=start, index="GSI1")
    shapes = [CustomerShape.from_record(customer) for customer in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], shapes[room - 1].id
    return CustomersAnswer(customers=shapes, next_cursor=next_cursor(caller, end, name))


def get(caller: Caller, customer_id: str, page: PageQuery) -> CustomerAnswer:
    """Return a customer with the newest facts about them. Raises CustomerNotFound, InvalidCursor."""
    customer = repository.get(caller.organization, customer_id)
    name = f"customers/{customer_id}"
    start = position(caller, page, name)
    found, after = repository.facts.page(
        caller.organization,
        customer_id,
        limit=page.limit,
        after=Fact.key_for(caller.organization, customer_id, start).attributes() if start else None,
        newest_first=True,
        consistent=True,
    )
    return CustomerAnswer(
        customer=CustomerShape.from_record(customer),
        facts=[FactShape.from_record(fact) for fact in found],
        next_cursor=next_cursor(caller, found[-1].id if after else None, name),
    )
