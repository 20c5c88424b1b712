"""Customers by what proves who they are: a verified address, or an external id that their app or provider gave.

What a message says about its visitor is no proof, so nobody signs in as a customer whose record merely names an
address. Two sign-ins with one identity at once make one customer.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from helpdesk.customers import identity_repository as repository
from helpdesk.customers.identity_repository import IdentityChanged
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, Customer
from helpdesk.platform import ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.search import jobs as search
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

__all__ = ["IdentityChanged"]  # and everything below

MAX_IDENTITIES = 20
"""How many addresses and external ids lead to one customer. Further ones are not kept."""


class CustomerBeingErased(Exception):
    """The customer is being erased; in a few seconds the identity is free."""


class Introduce(Protocol):
    """Adds a new customer with their session to a transaction (`messages.visitors.introduce`)."""

    def __call__(
        self,
        transaction: Transaction,
        organization: str,
        session_hash: str,
        customer_id: str,
        identity: Item | None = None,
    ) -> None:
        """Add them."""


class Proven(Record):
    """Who signs in: the hashes of what proves it, the strongest first, and what is said about them.

    `said` has the attributes of a customer's record, without what is not said. An address in it is proven unless
    EMAIL_IS_UNPROVEN is there.
    """

    hashes: tuple[str, ...]
    said: Mapping[str, Any]


def hash_of(kind: str, *parts: str) -> str:
    """Return the hash of an identity: its kind and what it is, such as an address or an issuer and a subject."""
    return sha256_hex("\n".join([kind, *parts]))


def find_or_create(organization: str, proven: Proven, introduce: Introduce) -> Customer:
    """Return the customer to whom one of the identities leads; the first sign-in creates them.

    What is said overwrites what is stored. A further identity is added to the customer, unless it is another's. Calls:
    identities, customer, and a transaction if something changes. Raises CustomerBeingErased, Conflict.
    """
    return repeat_when_stale(lambda: _attempt(organization, proven, introduce), IdentityChanged)


def _attempt(organization: str, proven: Proven, introduce: Introduce) -> Customer:
    held = repository.holders(organization, proven.hashes)
    if any(each.being_erased for each in held.values()):
        raise CustomerBeingErased
    known = next(
        (each.customer for name in proven.hashes if (each := held.get(name)) and each.customer), None
    )
    free = {
        name: held[name].customer_id if name in held else None
        for name in proven.hashes
        if name not in held or held[name].customer is None
    }
    if known is None:
        return _create(organization, proven, free, introduce)
    return _update(organization, known, proven, free)


def _create(
    organization: str, proven: Proven, free: Mapping[str, str | None], introduce: Introduce
) -> Customer:
    # Nobody ever has the token of this session: it is reached by signing in alone.
    customer_id, session_hash = ids.new("cus"), sha256_hex(ids.secret())
    transaction = Transaction()
    identity = {**proven.said, "identities": list(proven.hashes)}
    introduce(transaction, organization, session_hash, customer_id, identity)
    for name, was in free.items():
        repository.put(transaction, organization, name, customer_id, was)
    search.put(transaction, search.customer(organization, customer_id))
    transaction.commit()
    return Customer.from_item(
        {"id": customer_id, "createdAt": 0, "updatedAt": 0, "sessionHash": session_hash, **identity}
    )


def _update(organization: str, known: Customer, proven: Proven, free: Mapping[str, str | None]) -> Customer:
    room = max(0, MAX_IDENTITIES - len(known.identities))
    added = dict([*free.items()][:room])
    news = _news(known, proven.said)
    if not added and not news:
        return known
    transaction = Transaction()
    repository.save(transaction, organization, known, [*dict.fromkeys([*known.identities, *added])], news)
    for name, was in added.items():
        repository.put(transaction, organization, name, known.id, was)
    if news:
        search.put(transaction, search.customer(organization, known.id))
    transaction.commit()
    return known.changed_by(news)


def _news(known: Customer, said: Mapping[str, Any]) -> Item:
    """Return what is said and not stored yet. Metadata is merged: a sign-in says only some of it."""
    stored: dict[str, Any] = {
        "name": known.name,
        "email": known.email,
        EMAIL_IS_UNPROVEN: known.email_is_unproven,
        "avatarUrl": known.avatar_url,
        "metadata": known.metadata,
    }
    wanted, metadata = dict(said), said.get("metadata")
    if "email" in wanted:
        wanted.setdefault(EMAIL_IS_UNPROVEN, False)
    if metadata is not None:
        wanted |= {"metadata": {**known.metadata, **metadata}}
    return {name: value for name, value in wanted.items() if value != stored[name]}
