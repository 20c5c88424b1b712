"""The items of customers who are merged into another."""

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer
from helpdesk.storage import keys
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class AlreadyNoted(ConditionFailed):
    """The customer takes the other one over already."""


def note(transaction: Transaction, organization: str, after_id: str, before_id: str) -> None:
    """Write that a customer takes over another, once. The transaction raises AlreadyNoted, or CustomerNotFound."""

    def meaning(found: Item | None) -> Exception:
        return CustomerNotFound() if found is None or BEING_ERASED in found else AlreadyNoted(found)

    transaction.update(
        keys.Customer(organization, after_id),
        "SET mergedFrom = list_append(if_not_exists(mergedFrom, :none), :before)",
        condition=f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED}) AND NOT contains(mergedFrom, :id)",
        values={":none": [], ":before": [before_id], ":id": before_id},
        on_failure=meaning,
    )


def delete(transaction: Transaction, organization: str, seen: Customer) -> None:
    """Remove a customer. The transaction raises ConditionFailed if they have changed, or are being erased.

    A conversation that the team has started with them is a change, too.
    """
    values: Item = {":seen": seen.updated_at}
    outreach = "attribute_not_exists(outreachId)"
    if seen.outreach_id is not None:
        outreach, values[":outreach"] = "outreachId = :outreach", seen.outreach_id
    transaction.delete(
        keys.Customer(organization, seen.id),
        condition=f"updatedAt = :seen AND {outreach} AND attribute_not_exists({BEING_ERASED}) "
        "AND attribute_not_exists(identities)",
        values=values,
        on_failure=ConditionFailed,
    )
