"""Erasure of customers and of the facts about them (docs/decisions/0062)."""

from collections.abc import Sequence

from helpdesk.customers import erasure_repository as repository
from helpdesk.customers.erasure_repository import BeingErased
from helpdesk.customers.record import ErasableCustomer
from helpdesk.storage.transactions import Transaction

__all__ = ["BeingErased", "ErasableCustomer"]  # and everything below


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


def first_facts(organization: str, customer_id: str, limit: int) -> list[str]:
    """Return the ids of up to `limit` facts about a customer, oldest first."""
    return repository.first_facts(organization, customer_id, limit)


def delete_facts(
    transaction: Transaction, organization: str, customer_id: str, fact_ids: Sequence[str]
) -> None:
    """Add the removal of facts to a transaction. It raises ConditionFailed if one of them is gone."""
    repository.delete_facts(transaction, organization, customer_id, fact_ids)
