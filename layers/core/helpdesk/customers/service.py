"""Customers by ID, and where they can be reached.

The first message of a session creates the record, and later ones can add to it (Specification: Message input). An
identity is what a visitor says about themselves, by its names in the API, without what they leave out.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.customers import repository
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, Customer
from helpdesk.customers.repository import ConcurrentOutreach
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

__all__ = ["ConcurrentOutreach"]  # and everything below


class Recipient(Record):
    """A customer to write to.

    `email` is the address that their messages gave, None if mail cannot be sent to it.
    """

    customer: Customer
    email: str | None

    @property
    def id(self) -> str:
        """The customer's id."""
        return self.customer.id

    @property
    def session_hash(self) -> str | None:
        """The session in which they see messages, None if they never wrote."""
        return self.customer.session_hash


def typed(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return an identity that a visitor typed themselves: its address proves nothing."""
    return {**identity, EMAIL_IS_UNPROVEN: True} if "email" in identity else {**identity}


def fingerprint(identity: Item | None) -> str:
    """Return a hash of an identity, which recognizes a repeated one without reading the record."""
    return hashlib.sha256(json.dumps(identity or {}, sort_keys=True).encode()).hexdigest()


def create(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str,
    identity: Item | None,
) -> None:
    """Add the record of a new visitor to a transaction."""
    repository.put(transaction, organization, customer_id, session_hash, identity or {})


def update(transaction: Transaction, organization: str, customer_id: str, identity: Item) -> None:
    """Add newly sent values to a visitor's record. The transaction raises CustomerNotFound."""
    repository.update(transaction, organization, customer_id, identity)


def find(organization: str, customer_id: str) -> Customer | None:
    """Return a customer as they are at this moment, None if they are gone. Raises MalformedKey."""
    return repository.find(organization, customer_id)


def by_ids(organization: str, customer_ids: Sequence[str]) -> dict[str, Customer]:
    """Return customers by id, to be shown, without those that are gone. One call per hundred.

    It costs half of what `find` does, and what was written a moment ago may be missing.
    """
    return repository.get_many(organization, customer_ids)


def recipient(organization: str, customer_id: str) -> Recipient:
    """Return a customer to write to. Raises CustomerNotFound."""
    customer = repository.get(organization, customer_id)
    try:
        email = normalized_email(customer.email or "")
    except InvalidEmail:
        email = None
    return Recipient(customer, email)


def require(transaction: Transaction, organization: str, customer_id: str) -> None:
    """Require that a customer still exists. The transaction raises CustomerNotFound."""
    repository.require(transaction, organization, customer_id)


def note_outreach(
    transaction: Transaction, organization: str, customer: Customer, conversation_id: str
) -> None:
    """Write which conversation the team has started with a customer who has no session.

    The transaction raises ConcurrentOutreach if another was started since the customer was read, or CustomerNotFound.
    """
    repository.note_outreach(transaction, organization, customer, conversation_id)
