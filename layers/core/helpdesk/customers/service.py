"""Who writes. The first message creates the visitor record; later ones may tell more (Specification: Message input)."""

import hashlib
import json
from collections.abc import Sequence

from helpdesk.customers import repository
from helpdesk.customers.schemas import Identity
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


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
