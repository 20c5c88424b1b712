"""The items of customers who are merged into another."""

from helpdesk.customers.record import Customer
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def find(organization: str, customer_id: str) -> Customer | None:
    """Return a customer, None if they are gone or being erased."""
    item = table.get(keys.Customer(organization, customer_id))
    return None if item is None or BEING_ERASED in item else Customer.from_item(item)


def delete(transaction: Transaction, organization: str, seen: Customer) -> None:
    """Remove a customer. The transaction raises ConditionFailed if they have changed, or are being erased."""
    transaction.delete(
        keys.Customer(organization, seen.id),
        condition=f"updatedAt = :seen AND attribute_not_exists({BEING_ERASED}) AND attribute_not_exists(identities)",
        values={":seen": seen.updated_at},
        on_failure=ConditionFailed,
    )
