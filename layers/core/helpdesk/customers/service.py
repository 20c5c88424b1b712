"""Customers by ID, and where they can be reached.

The first message of a session creates the record, and later ones can add to it (Specification: Message input).
"""

import hashlib
import json

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.customers.record import Customer
from helpdesk.customers.repository import (
    ConcurrentOutreach,
    Said,
    by_ids,
    create,
    facts_after,
    find,
    get,
    note_outreach,
    require,
    set_notices,
    update,
)
from helpdesk.platform.record import Record

__all__ = [
    "ConcurrentOutreach",
    "Said",
    "by_ids",
    "create",
    "facts_after",
    "find",
    "get",
    "note_outreach",
    "require",
    "set_notices",
    "update",
]  # and everything below


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


def typed(said: Said) -> Said:
    """Return what a visitor typed about themselves: its address proves nothing."""
    return {**said, "email_is_unproven": True} if "email" in said else said


def fingerprint(said: Said | None) -> str:
    """Return a hash of what is said, which recognizes a repeated one without reading the record."""
    return hashlib.sha256(json.dumps(said or {}, sort_keys=True).encode()).hexdigest()


def recipient(organization: str, customer_id: str) -> Recipient:
    """Return a customer to write to. Raises CustomerNotFound."""
    customer = get(organization, customer_id)
    try:
        email = normalized_email(customer.email or "")
    except InvalidEmail:
        email = None
    return Recipient(customer, email)
