"""Who writes. The first message creates the visitor record; later ones may tell more (Specification: Message input)."""

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.customers import repository
from helpdesk.customers.repository import OutreachMeanwhile
from helpdesk.customers.schemas import Identity
from helpdesk.people.errors import InvalidEmail
from helpdesk.people.record import normalized_email
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

__all__ = ["OutreachMeanwhile"]  # and everything below


class Addressee(NamedTuple):
    """Where a customer can be written to.

    `session_hash` is the session that they write in, None for one who never did: what is written to them they see
    there. `email` is what they told, where it is an address that mail can be sent to. `outreach_id` is the conversation
    that the team started last with one who has no session.
    """

    item: Item
    session_hash: str | None
    email: str | None
    outreach_id: str | None

    @property
    def id(self) -> str:
        """The customer's id."""
        return str(self.item["id"])


def told(identity: Identity | None) -> Item:
    """Return the attributes that an identity tells; what it leaves out is absent, so that it erases nothing."""
    return {} if identity is None else identity.model_dump(by_alias=True, exclude_none=True)


def fingerprint(identity: Identity | None) -> str:
    """Return a hash of what was told, by which a repeated identity is known without reading the record."""
    return hashlib.sha256(json.dumps(told(identity), sort_keys=True).encode()).hexdigest()


def create(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str,
    identity: Identity | None,
) -> None:
    """Add the record of a new visitor to a transaction."""
    repository.put(transaction, organization, customer_id, session_hash, told(identity))


def learn(transaction: Transaction, organization: str, customer_id: str, identity: Identity) -> None:
    """Add newly told values to a known visitor's record."""
    repository.overwrite(transaction, organization, customer_id, told(identity))


def summaries(organization: str, customer_ids: Sequence[str]) -> dict[str, Item]:
    """Return the records of customers by id, in one call per hundred."""
    return repository.get_many(organization, customer_ids)


def addressee(organization: str, customer_id: str) -> Addressee:
    """Return where a customer can be written to. Raises CustomerNotFound."""
    item = repository.get(organization, customer_id)
    try:
        email = normalized_email(item.get("email") or "")
    except InvalidEmail:
        email = None
    return Addressee(item, item.get("sessionHash"), email, item.get("outreachId"))


def require(transaction: Transaction, organization: str, customer_id: str) -> None:
    """Require that a customer is still there. The transaction raises CustomerNotFound."""
    repository.require(transaction, organization, customer_id)


def note_outreach(
    transaction: Transaction, organization: str, customer: Addressee, conversation_id: str
) -> None:
    """Note which conversation the team has started with a customer who has no session.

    The transaction raises OutreachMeanwhile where another was started since the customer was read, CustomerNotFound.
    """
    repository.note_outreach(transaction, organization, customer.item, conversation_id)
