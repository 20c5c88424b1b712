"""Which customer a verified address or an external id belongs to."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from helpdesk.customers.record import Customer, CustomerIdentity
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class IdentityChanged(ConditionFailed):
    """Another sign-in has given the identity to a customer, or has changed the customer's own."""


class Held(NamedTuple):
    """The holder of an identity. `customer` is None if they are gone, `being_erased` if they soon will be."""

    customer_id: str
    customer: Customer | None
    being_erased: bool


def holders(organization: str, hashes: Sequence[str]) -> Mapping[str, Held]:
    """Return who holds identities, by their hashes, without those that nobody holds. Two calls, one if nobody does."""
    found = Collection(CustomerIdentity).by_ids(organization, ids=hashes)
    held = {identity_hash: identity.customer_id for identity_hash, identity in found.items()}
    if not held:
        return {}
    customers = table.get_many([keys.Customer(organization, each) for each in dict.fromkeys(held.values())])
    return {
        identity_hash: _held(customer_id, customers.get(keys.Customer(organization, customer_id)))
        for identity_hash, customer_id in held.items()
    }


def put(
    transaction: Transaction, organization: str, identity_hash: str, customer_id: str, was: str | None
) -> None:
    """Give an identity to a customer. `was` is its holder who is gone, None if nobody has it.

    The transaction raises IdentityChanged if that is no longer so.
    """
    transaction.change(
        CustomerIdentity.key_for(organization, identity_hash),
        set={"customer_id": customer_id, "created_at": clock.now_ms()},
        require={"customer_id": was},
        or_new=was is None,
        on_failure=IdentityChanged,
    )


def save(
    transaction: Transaction, organization: str, customer: Customer, identities: Sequence[str], said: Item
) -> None:
    """Write the identities of a customer, and what a sign-in says about them.

    The transaction raises IdentityChanged if the customer's identities are no longer those that were read, or if the
    customer is gone or being erased.
    """
    transaction.set(
        keys.Customer(organization, customer.id),
        {**said, "identities": list(identities), "updatedAt": clock.now_ms()},
        condition=f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED}) AND #identities = :before",
        values={":before": list(customer.identities)},
        on_failure=IdentityChanged,
    )


def _held(customer_id: str, item: Item | None) -> Held:
    if item is None:
        return Held(customer_id, None, being_erased=False)
    if BEING_ERASED in item:
        return Held(customer_id, None, being_erased=True)
    return Held(customer_id, Customer.from_item(item), being_erased=False)
