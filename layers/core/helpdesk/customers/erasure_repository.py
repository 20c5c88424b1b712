"""The items of customers who are being erased, and of the facts about them."""

from collections.abc import Sequence

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, ErasableCustomer
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
        transaction.delete(keys.CustomerIdentity(organization, identity_hash))
    transaction.delete(
        keys.Customer(organization, customer.id),
        condition=f"{BEING_ERASED} = :erasure",
        values={":erasure": erasure_id},
        on_failure=ConditionFailed,
    )


def first_facts(organization: str, customer_id: str, limit: int) -> list[str]:
    """Return the ids of the oldest facts about a customer."""
    partition = keys.Customer(organization, customer_id).pk
    page = table.query(partition, sk_prefix="FACT#", limit=limit, consistent=True)
    return [str(item["id"]) for item in page.items]


def delete_facts(
    transaction: Transaction, organization: str, customer_id: str, fact_ids: Sequence[str]
) -> None:
    """Add the removal of facts to a transaction. It raises ConditionFailed if one of them is gone."""
    for fact_id in fact_ids:
        transaction.delete(
            keys.Fact(organization, customer_id, fact_id),
            condition="attribute_exists(PK)",
            on_failure=ConditionFailed,
        )
