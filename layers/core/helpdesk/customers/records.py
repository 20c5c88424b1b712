"""What the team reads and notes down of customers: their list, one with the facts about them."""

from helpdesk.admission.caller import Caller
from helpdesk.customers import repository
from helpdesk.customers.schemas import (
    MAX_FACT_CHARACTERS,
    CustomerAnswer,
    CustomersAnswer,
    CustomerShape,
    CustomersQuery,
    FactCreated,
    FactInput,
    FactShape,
)
from helpdesk.http.pages import fitting, next_cursor, position
from helpdesk.http.schemas import PageQuery
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import trimmed
from helpdesk.search import service as search
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def newest(caller: Caller, query: CustomersQuery) -> CustomersAnswer:
    """Return a page of customers, the newest first. Raises InvalidRequest, InvalidCursor.

    A page may hold fewer than asked for, even none, while there is a cursor.
    """
    text = None if query.q is None else trimmed(query.q)
    if text == "":
        raise InvalidRequest("`q` must hold the words to look for. Leave it out to list all customers.")
    name = f"customers?{text!r}"  # no text is not the text "None"
    start = position(caller, query, name)
    if text is not None:
        hits = search.customers(caller.organization, text, query.limit, start)
        known = repository.get_many(caller.organization, hits.ids)
        shapes = [shape(known[customer_id]) for customer_id in hits.ids if customer_id in known]
        return CustomersAnswer(customers=shapes, next_cursor=next_cursor(caller, hits.after, name))
    found, end = repository.newest(caller.organization, query.limit, start)
    shapes = [shape(item) for item in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], shapes[room - 1].id
    return CustomersAnswer(customers=shapes, next_cursor=next_cursor(caller, end, name))


def get(caller: Caller, customer_id: str, page: PageQuery) -> CustomerAnswer:
    """Return a customer with the newest facts about them. Raises CustomerNotFound, InvalidCursor."""
    customer = repository.get(caller.organization, customer_id)
    name = f"customers/{customer_id}"
    found, end = repository.newest_facts(
        caller.organization, customer_id, page.limit, position(caller, page, name)
    )
    return CustomerAnswer(
        customer=shape(customer),
        facts=[fact_shape(item) for item in found],
        next_cursor=next_cursor(caller, end, name),
    )


def add_fact(caller: Caller, customer_id: str, written: FactInput) -> FactCreated:
    """Note a fact down. Raises InvalidRequest, CustomerNotFound."""
    text = trimmed(written.text)
    if not 1 <= len(text) <= MAX_FACT_CHARACTERS:
        raise InvalidRequest(f"`text` must have 1 to {MAX_FACT_CHARACTERS:,} characters after trimming.")
    fact: Item = {
        "id": ids.new("fact"),
        "text": text,
        "createdAt": clock.now_ms(),
        "createdByName": caller.person.name if caller.person else None,
    }
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    repository.put_fact(transaction, caller.organization, customer_id, fact)
    transaction.commit()
    return FactCreated(id=fact["id"])


def remove_fact(caller: Caller, customer_id: str, fact_id: str) -> None:
    """Remove a fact. Raises CustomerNotFound, FactNotFound."""
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    repository.delete_fact(transaction, caller.organization, customer_id, fact_id)
    transaction.commit()


def shape(item: Item) -> CustomerShape:
    """Return a customer for the team."""
    return CustomerShape(
        id=item["id"],
        name=item.get("name"),
        email=item.get("email"),
        avatar_url=item.get("avatarUrl"),
        metadata=item.get("metadata") or {},
        created_at=item["createdAt"],
        updated_at=item["updatedAt"],
    )


def fact_shape(item: Item) -> FactShape:
    """Return a fact for the team."""
    return FactShape(
        id=item["id"],
        text=item["text"],
        created_at=item["createdAt"],
        created_by_name=item["createdByName"],
    )
