"""What the team writes about customers.

The team can add a customer who has not written, correct a record, and write down facts (docs/decisions/0218).
"""

from helpdesk.api.admission.caller import Caller
from helpdesk.customers import repository
from helpdesk.customers.errors import FactNotFound
from helpdesk.customers.profile import CustomerInput, CustomerUpdate
from helpdesk.customers.record import Fact
from helpdesk.customers.schemas import (
    MAX_FACT_CHARACTERS,
    CustomerChanged,
    CustomerCreated,
    CustomerShape,
    FactCreated,
    FactInput,
)
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import jobs as search
from helpdesk.storage.transactions import Transaction


def add(caller: Caller, new: CustomerInput) -> CustomerCreated:
    """Add a customer who has not written: they have no session. Raises InvalidRequest if nothing about them is sent.

    Two customers can have the same e-mail address, as nobody has verified either.
    """
    said = new.said()
    if not said:
        raise InvalidRequest("Send at least one of `name`, `email`, `avatarUrl` and `metadata`.")
    customer_id = ids.new("cus")
    transaction = Transaction()
    repository.create(transaction, caller.organization, customer_id, None, said)
    search.put(transaction, search.customer(caller.organization, customer_id))
    transaction.commit()
    return CustomerCreated(id=customer_id)


def change(caller: Caller, customer_id: str, wanted: CustomerUpdate) -> CustomerChanged:
    """Change the fields of a customer that were sent, and return the customer. Raises CustomerNotFound.

    A request that changes nothing writes nothing.
    """
    changes = wanted.changes()
    if changes:
        transaction = Transaction()
        repository.update(transaction, caller.organization, customer_id, changes)
        search.put(transaction, search.customer(caller.organization, customer_id))
        transaction.commit()
    return CustomerChanged(
        customer=CustomerShape.from_record(repository.get(caller.organization, customer_id))
    )


def add_fact(caller: Caller, customer_id: str, written: FactInput) -> FactCreated:
    """Write down a fact about a customer. Raises InvalidRequest, CustomerNotFound."""
    text = trimmed(written.text)
    if len(text) > MAX_FACT_CHARACTERS or is_blank(text):
        raise InvalidRequest(one_to("text", MAX_FACT_CHARACTERS))
    fact = Fact(
        organization=caller.organization,
        customer_id=customer_id,
        id=ids.new("fact"),
        text=text,
        created_at=clock.now_ms(),
        created_by_name=caller.actor,
    )
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    transaction.put(fact, new=True)
    transaction.commit()
    return FactCreated(id=fact.id)


def remove_fact(caller: Caller, customer_id: str, fact_id: str) -> None:
    """Remove a fact. Raises CustomerNotFound, FactNotFound."""
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    key = Fact.key_for(caller.organization, customer_id, fact_id)
    transaction.delete(key, require={}, on_failure=FactNotFound())
    transaction.commit()
