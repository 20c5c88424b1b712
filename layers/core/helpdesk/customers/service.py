"""Who writes: the customer's record, where they can be reached, and what the team writes down about them.

The first message of a session creates the record, and later ones can add to it (Specification: Message input). The team
can also add a customer who has not written, and correct a record (docs/decisions/0112).
"""

import hashlib
import json
from collections.abc import Sequence

from helpdesk.admission.caller import Caller
from helpdesk.customers import repository
from helpdesk.customers.profile import CustomerInput, CustomerUpdate
from helpdesk.customers.record import Customer, Fact
from helpdesk.customers.rendering import customer_shape
from helpdesk.customers.repository import ConcurrentOutreach
from helpdesk.customers.schemas import (
    MAX_FACT_CHARACTERS,
    CustomerChanged,
    CustomerCreated,
    FactCreated,
    FactInput,
    Identity,
)
from helpdesk.people.errors import InvalidEmail
from helpdesk.people.record import normalized_email
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import jobs as search
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

__all__ = ["ConcurrentOutreach"]  # and everything below


class Recipient(FrozenRecord):
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


def fingerprint(identity: Identity | None) -> str:
    """Return a hash of an identity, which recognizes a repeated one without reading the record."""
    return hashlib.sha256(json.dumps(_attributes(identity), sort_keys=True).encode()).hexdigest()


def create(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str,
    identity: Identity | None,
) -> None:
    """Add the record of a new visitor to a transaction."""
    repository.put(transaction, organization, customer_id, session_hash, _attributes(identity))


def update(transaction: Transaction, organization: str, customer_id: str, identity: Identity) -> None:
    """Add newly sent values to a visitor's record. The transaction raises CustomerNotFound."""
    repository.update(transaction, organization, customer_id, _attributes(identity))


def add(caller: Caller, new: CustomerInput) -> CustomerCreated:
    """Add a customer who has not written: they have no session. Raises InvalidRequest if nothing about them is sent.

    Two customers can have the same e-mail address, as nobody has verified either.
    """
    identity = new.attributes()
    if not identity:
        raise InvalidRequest("Send at least one of `name`, `email`, `avatarUrl` and `metadata`.")
    customer_id = ids.new("cus")
    transaction = Transaction()
    repository.put(transaction, caller.organization, customer_id, None, identity)
    search.put(transaction, search.customer(caller.organization, customer_id))
    transaction.commit()
    return CustomerCreated(id=customer_id)


def change(caller: Caller, customer_id: str, wanted: CustomerUpdate) -> CustomerChanged:
    """Change the fields of a customer that were sent, and return the customer. Raises CustomerNotFound.

    A request that changes nothing writes nothing.
    """
    changes = wanted.changes()
    if changes:
        transaction = Transaction()
        repository.update(transaction, caller.organization, customer_id, changes)
        search.put(transaction, search.customer(caller.organization, customer_id))
        transaction.commit()
    return CustomerChanged(customer=customer_shape(repository.get(caller.organization, customer_id)))


def by_ids(organization: str, customer_ids: Sequence[str]) -> dict[str, Customer]:
    """Return customers by id, without those that are gone. One call per hundred."""
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


def add_fact(caller: Caller, customer_id: str, written: FactInput) -> FactCreated:
    """Write down a fact about a customer. Raises InvalidRequest, CustomerNotFound."""
    text = trimmed(written.text)
    if len(text) > MAX_FACT_CHARACTERS or is_blank(text):
        raise InvalidRequest(
            f"`text` must have 1 to {MAX_FACT_CHARACTERS:,} characters after trimming, at least one of them visible."
        )
    fact = Fact(ids.new("fact"), text, clock.now_ms(), caller.person.name if caller.person else None)
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    repository.put_fact(transaction, caller.organization, customer_id, fact)
    transaction.commit()
    return FactCreated(id=fact.id)


def remove_fact(caller: Caller, customer_id: str, fact_id: str) -> None:
    """Remove a fact. Raises CustomerNotFound, FactNotFound."""
    transaction = Transaction()
    repository.require(transaction, caller.organization, customer_id)
    repository.delete_fact(transaction, caller.organization, customer_id, fact_id)
    transaction.commit()


def _attributes(identity: Identity | None) -> Item:
    """Return the attributes of an identity; a field that was not sent is absent, so that it erases nothing."""
    return {} if identity is None else identity.model_dump(by_alias=True, exclude_none=True)
