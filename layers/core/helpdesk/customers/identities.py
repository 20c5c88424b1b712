"""Customers by what proves who they are: a verified address, or an external id that their app or provider gave.

What a message says about its visitor is no proof, so nobody signs in as a customer whose record merely names an
address. Two sign-ins with one identity at once make one customer.
"""

from collections.abc import Mapping, Sequence
from copy import replace
from typing import Any, NamedTuple, Protocol

from helpdesk.customers.record import Customer, CustomerIdentity
from helpdesk.customers.repository import Said, customers
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.search import jobs as search
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

MAX_IDENTITIES = 20
"""How many addresses and external ids lead to one customer. Further ones are not kept."""


class IdentityChanged(ConditionFailed):
    """Another sign-in has given the identity to a customer, or has changed the customer's own."""


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
        said: Said | None = None,
    ) -> None:
        """Add them."""


class Proven(Record):
    """Who signs in: the hashes of what proves it, the strongest first, and what is said about them.

    An address in `said` is proven unless `email_is_unproven` is there.
    """

    hashes: tuple[str, ...]
    said: Said


class _Held(NamedTuple):
    """The holder of an identity; `customer` is None if they are gone."""

    customer_id: str
    customer: Customer | None


def hash_of(kind: str, *parts: str) -> str:
    """Return the hash of an identity: its kind and what it is, such as an address or an issuer and a subject."""
    return sha256_hex("\n".join([kind, *parts]))


def hash_of_address(email: str) -> str:
    """Return the hash of a proven address."""
    return hash_of("email", email)


def find_or_create(organization: str, proven: Proven, introduce: Introduce) -> Customer:
    """Return the customer to whom one of the identities leads; the first sign-in creates them.

    What is said overwrites what is stored. A further identity is added to the customer, unless it is another's. Calls:
    identities, customer, and a transaction if something changes. Raises CustomerBeingErased, Conflict.
    """
    return repeat_when_stale(lambda: _attempt(organization, proven, introduce), IdentityChanged)


def _attempt(organization: str, proven: Proven, introduce: Introduce) -> Customer:
    held = _holders(organization, proven.hashes)
    if any(each.customer and each.customer.erasing for each in held.values()):
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
    return _update(known, proven, free)


def _holders(organization: str, hashes: Sequence[str]) -> Mapping[str, _Held]:
    """Return who holds identities, by their hashes, without those that nobody holds. Two calls, one if nobody does."""
    held = Collection(CustomerIdentity).by_ids(organization, ids=hashes)
    found = customers.by_ids(organization, ids=[each.customer_id for each in held.values()])
    return {name: _Held(each.customer_id, found.get(each.customer_id)) for name, each in held.items()}


def _create(
    organization: str, proven: Proven, free: Mapping[str, str | None], introduce: Introduce
) -> Customer:
    # Nobody ever has the token of this session: it is reached by signing in alone.
    customer_id, session_hash = ids.new("cus"), sha256_hex(ids.secret())
    transaction = Transaction()
    said = {**proven.said, "identities": proven.hashes}
    introduce(transaction, organization, session_hash, customer_id, said)
    for name, was in free.items():
        _give(transaction, organization, name, customer_id, was)
    search.put(transaction, search.customer(organization, customer_id))
    transaction.commit()
    return Customer(
        organization=organization,
        id=customer_id,
        created_at=0,
        updated_at=0,
        session_hash=session_hash,
        **said,
    )


def _update(known: Customer, proven: Proven, free: Mapping[str, str | None]) -> Customer:
    room = max(0, MAX_IDENTITIES - len(known.identities))
    added = dict([*free.items()][:room])
    news = _news(known, proven.said)
    if not added and not news:
        return known
    transaction = Transaction()
    transaction.change(
        known.key,
        set={
            **news,
            "identities": tuple(dict.fromkeys([*known.identities, *added])),
            "updated_at": clock.now_ms(),
        },
        require={"erasing": None, "identities": known.identities},
        on_failure=IdentityChanged,
    )
    for name, was in added.items():
        _give(transaction, known.organization, name, known.id, was)
    if news:
        search.put(transaction, search.customer(known.organization, known.id))
    transaction.commit()
    return replace(known, **news)


def _give(
    transaction: Transaction, organization: str, identity_hash: str, customer_id: str, was: str | None
) -> None:
    """Give an identity to a customer. `was` is its holder who is gone, None if nobody has it.

    The transaction raises IdentityChanged if that is no longer so.
    """
    transaction.change(
        CustomerIdentity.key_for(organization, identity_hash),
        set={"customer_id": customer_id, "created_at": clock.now_ms()},
        require={"customer_id": was},
        or_new=was is None,
        on_failure=IdentityChanged,
    )


def _news(known: Customer, said: Said) -> dict[str, Any]:
    """Return what is said and not stored yet. Metadata is merged: a sign-in says only some of it."""
    wanted = dict(said)
    if "email" in said:
        wanted.setdefault("email_is_unproven", False)
    if "metadata" in said:
        wanted |= {"metadata": known.metadata | wanted.pop("metadata")}
    return {name: value for name, value in wanted.items() if value != getattr(known, name)}
