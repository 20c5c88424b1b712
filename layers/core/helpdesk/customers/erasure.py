"""Erasure of customers and of the facts about them (docs/decisions/0062)."""

from helpdesk.customers import erasure_repository as repository
from helpdesk.customers.erasure_repository import BeingErased, delete_facts, first_facts
from helpdesk.customers.record import ErasableCustomer
from helpdesk.storage.transactions import Transaction

__all__ = ["BeingErased", "ErasableCustomer", "delete_facts", "first_facts"]  # and everything below


def find(organization: str, customer_id: str) -> ErasableCustomer | None:
    """Return a customer, including one who is being erased; None if there is none."""
    return repository.find(organization, customer_id)


def mark(
    transaction: Transaction,
    organization: str,
    seen: ErasableCustomer,
    erasure_id: str,
    *,
    unchanged: bool = False,
) -> None:
    """Add to a transaction that a customer is marked as being erased. From then on every reader treats them as gone.

    With `unchanged` the customer must be as seen. The transaction raises CustomerNotFound, BeingErased, or with
    `unchanged` ConditionFailed.
    """
    repository.mark(transaction, organization, seen, erasure_id, unchanged=unchanged)


def delete_for(
    transaction: Transaction, organization: str, customer: ErasableCustomer, erasure_id: str
) -> None:
    """Add the removal of a customer, and of what they sign in by, to a transaction.

    It raises ConditionFailed unless this erasure marked them.
    """
    repository.delete(transaction, organization, customer, erasure_id)
