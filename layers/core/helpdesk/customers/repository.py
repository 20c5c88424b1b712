"""Items of customers and of the facts about them."""

from collections.abc import Mapping, Sequence
from typing import Any

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer, Fact
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

customers = Collection(Customer)
"""All customers, those who are being erased, too."""
facts = Collection(Fact)

type Said = Mapping[str, Any]
"""What is said about a customer: values by the names of `Customer`'s fields."""


class ConcurrentOutreach(ConditionFailed):
    """Another message to the same customer, who has no session, has started a conversation."""


def create(
    transaction: Transaction, organization: str, customer_id: str, session_hash: str | None, said: Said | None
) -> None:
    """Add a new customer. Without a message, the session is None."""
    now = clock.now_ms()
    customer = Customer(
        organization=organization,
        id=customer_id,
        created_at=now,
        updated_at=now,
        session_hash=session_hash,
        **(said or {}),
    )
    transaction.put(customer, new=True)


def update(transaction: Transaction, organization: str, customer_id: str, said: Said) -> None:
    """Overwrite the fields in `said`, remove those that are None there, and leave the others.

    An address replaces the one before with what was known about it: it is unproven only if `said` says so. The
    transaction raises CustomerNotFound.
    """
    replaced = {"email_is_unproven": None} if "email" in said else {}
    transaction.change(
        Customer.key_for(organization, customer_id),
        set={**replaced, **said, "updated_at": clock.now_ms()},
        require={"erasing": None},
        on_failure=CustomerNotFound(),
    )


def set_notices(organization: str, customer_id: str, *, off: bool) -> None:
    """Write whether a customer has unsubscribed from notices. Raises CustomerNotFound."""
    key = Customer.key_for(organization, customer_id)
    try:
        table.change(key, set={"notices_off": off or None}, require={"erasing": None})
    except ConditionFailed:
        raise CustomerNotFound from None


def find(organization: str, customer_id: str) -> Customer | None:
    """Return a customer as they are at this moment, None if they are gone or being erased. Raises MalformedKey."""
    found = customers.find(organization, customer_id)
    return None if found is None or found.erasing is not None else found


def get(organization: str, customer_id: str) -> Customer:
    """Return a customer. Raises CustomerNotFound."""
    found = find(organization, customer_id)
    if found is None:
        raise CustomerNotFound
    return found


def by_ids(organization: str, customer_ids: Sequence[str]) -> dict[str, Customer]:
    """Return customers by id, to be shown, without those that are gone. One call per hundred.

    It costs half of what `find` does, and what was written a moment ago may be missing.
    """
    found = customers.by_ids(organization, ids=customer_ids, consistent=False)
    return {customer_id: each for customer_id, each in found.items() if each.erasing is None}


def require(transaction: Transaction, organization: str, customer_id: str) -> None:
    """Require that a customer still exists. The transaction raises CustomerNotFound."""
    key = Customer.key_for(organization, customer_id)
    transaction.require(key, {"erasing": None}, on_failure=CustomerNotFound())


def note_outreach(transaction: Transaction, customer: Customer, conversation_id: str) -> None:
    """Write which conversation the team has started with a customer who has no session.

    The transaction raises ConcurrentOutreach if another was started since the customer was read, so that two at once
    start one; CustomerNotFound if the customer is gone.
    """

    def meaning(found: Item | None) -> Exception:
        is_gone = found is None or Customer.from_item(found).erasing is not None
        return CustomerNotFound() if is_gone else ConcurrentOutreach(found)

    transaction.change(
        customer.key,
        set={"outreach_id": conversation_id},
        require={"erasing": None, "outreach_id": customer.outreach_id},
        on_failure=meaning,
    )


def facts_after(organization: str, customer_id: str, after: str, limit: int) -> tuple[list[Fact], bool]:
    """Return facts after a fact's id (empty: the first ones), oldest first, and whether more follow. One query."""
    start = Fact.key_for(organization, customer_id, after).attributes() if after else None
    found, end = facts.page(organization, customer_id, limit=limit, after=start, consistent=True)
    return found, end is not None
