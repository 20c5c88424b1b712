"""The items of customers who are being erased, and of the facts about them."""

from collections.abc import Sequence

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, CustomerIdentity, ErasableCustomer, Fact
from helpdesk.customers.repository import facts
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_KEPT_WHILE_ERASED = {"PK", "SK", "id", "sessionHash", "outreachId", "updatedAt", "identities", "mergedFrom"}
_PERSONAL = {"name", "email", EMAIL_IS_UNPROVEN, "avatarUrl", "metadata", "GSI1PK", "GSI1SK"}


class BeingErased(ConditionFailed):
    """Another erasure has marked the customer; `erasure_id` is its id."""

    @property
    def erasure_id(self) -> str:
        """The erasure that removes the customer."""
        return str((self.item or {})[BEING_ERASED])


def find(organization: str, customer_id: str) -> ErasableCustomer | None:
    """Return a customer, including one who is being erased; None if there is none."""
    item = table.get(keys.Customer(organization, customer_id))
    return ErasableCustomer.from_item(item) if item is not None else None


def mark(
    transaction: Transaction, organization: str, seen: ErasableCustomer, erasure_id: str, *, unchanged: bool
) -> None:
    """Add to a transaction that a customer is marked and loses their personal data and their place in the list.

    With `unchanged` the customer must be as seen. The transaction raises CustomerNotFound, BeingErased, or with
    `unchanged` ConditionFailed.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return CustomerNotFound()
        return BeingErased(found) if BEING_ERASED in found else ConditionFailed(found)

    names = {f"#{name}": name for name in sorted((seen.attributes | _PERSONAL) - _KEPT_WHILE_ERASED)}
    as_seen = ""
    values: Item = {}
    if unchanged:
        values[":updatedAt"] = seen.updated_at
        as_seen = " AND updatedAt = :updatedAt AND attribute_not_exists(outreachId)"
        if "outreachId" in seen.attributes:
            values[":outreachId"] = seen.outreach_id
            as_seen = " AND updatedAt = :updatedAt AND outreachId = :outreachId"
    transaction.update(
        keys.Customer(organization, seen.id),
        f"SET {BEING_ERASED} = :erasure REMOVE " + ", ".join(names),
        condition=f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})" + as_seen,
        names=names,
        values={":erasure": erasure_id, **values},
        on_failure=meaning,
    )


def delete(transaction: Transaction, organization: str, customer: ErasableCustomer, erasure_id: str) -> None:
    """Add the removal of a marked customer to a transaction. It raises ConditionFailed if the item is gone.

    What they sign in by goes with them: a customer who is marked gets no more identities than were seen.
    """
    for identity_hash in customer.identities:
        transaction.delete(CustomerIdentity.key_for(organization, identity_hash))
    transaction.delete(
        keys.Customer(organization, customer.id),
        condition=f"{BEING_ERASED} = :erasure",
        values={":erasure": erasure_id},
        on_failure=ConditionFailed,
    )


def first_facts(organization: str, customer_id: str, limit: int) -> list[Fact]:
    """Return the oldest facts about a customer."""
    return facts.page(organization, customer_id, limit=limit, consistent=True).records


def delete_facts(transaction: Transaction, found: Sequence[Fact]) -> None:
    """Add the removal of facts to a transaction. It raises ConditionFailed if one of them is gone."""
    for fact in found:
        transaction.delete(fact.key, require={}, on_failure=ConditionFailed)
