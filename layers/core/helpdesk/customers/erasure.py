"""Erasure of customers and of the facts about them (docs/decisions/0062)."""

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer, CustomerIdentity
from helpdesk.customers.repository import customers, facts
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

__all__ = ["customers", "facts"]  # and everything below

_WITHOUT_PERSONAL_DATA = dict.fromkeys(
    ["name", "email", "email_is_unproven", "avatar_url", "metadata", "GSI1PK", "GSI1SK"]
)


class BeingErased(ConditionFailed):
    """Another erasure has marked the customer; `erasure_id` is its id."""

    def __init__(self, erasure_id: str) -> None:
        super().__init__(None)
        self.erasure_id = erasure_id


def mark(transaction: Transaction, seen: Customer, erasure_id: str, *, unchanged: bool = False) -> None:
    """Add to a transaction that a customer is marked, and loses their personal data and their place in the list.

    From then on every reader treats them as gone. With `unchanged` the customer must be as seen. The transaction raises
    CustomerNotFound, BeingErased, or with `unchanged` ConditionFailed.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return CustomerNotFound()
        other = Customer.from_item(found).erasing
        return ConditionFailed(found) if other is None else BeingErased(other)

    as_seen = {"updated_at": seen.updated_at, "outreach_id": seen.outreach_id} if unchanged else {}
    transaction.change(
        seen.key,
        set={**_WITHOUT_PERSONAL_DATA, "erasing": erasure_id},
        require={"erasing": None, **as_seen},
        on_failure=meaning,
    )


def delete_for(transaction: Transaction, customer: Customer, erasure_id: str) -> None:
    """Add the removal of a customer to a transaction. It raises ConditionFailed unless this erasure marked them.

    What they sign in by goes with them: a customer who is marked gets no more identities than were seen.
    """
    for identity_hash in customer.identities:
        transaction.delete(CustomerIdentity.key_for(customer.organization, identity_hash))
    transaction.delete(customer.key, require={"erasing": erasure_id}, on_failure=ConditionFailed)
