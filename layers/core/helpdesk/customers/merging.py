"""Giving a customer what is known about an anonymous one, who then is gone."""

import contextlib

from helpdesk.customers import merge_repository as repository
from helpdesk.customers import repository as customers
from helpdesk.customers.merge_repository import AlreadyNoted
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, Customer, Fact
from helpdesk.search import jobs as search
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

FACTS = 40
"""Facts per page: each is two actions of a transaction."""


def anonymous(organization: str, customer_id: str) -> Customer | None:
    """Return a customer who never signed in, None if they are gone, are being erased, or have signed in."""
    found = repository.find(organization, customer_id)
    return None if found is None or found.identities else found


def begin(organization: str, before_id: str, after_id: str) -> None:
    """Note with a customer whom they take over, before anything moves. May be repeated. Raises CustomerNotFound.

    The search index has posts by the number of the customer who wrote them, so an erasure asks it for both.
    """
    transaction = Transaction()
    repository.note(transaction, organization, after_id, before_id)
    with contextlib.suppress(AlreadyNoted):
        transaction.commit()


def move_facts(organization: str, before: Customer, after_id: str) -> None:
    """Move what the team noted about one customer to another, a page at a time. May be repeated.

    Raises CustomerNotFound if the other is gone.
    """
    while page := customers.newest_facts(organization, before.id, FACTS, None)[0]:
        transaction = Transaction()
        customers.require(transaction, organization, after_id)
        for fact in page:
            _move(transaction, organization, before.id, after_id, fact)
        transaction.commit()


def finish(organization: str, before_id: str, after_id: str) -> None:
    """Remove a customer of whom nothing is left. Their name and address stay where no other is known.

    The address stays unproven: that its owner signed in later proves another identity, not what was typed before.
    Nothing happens if they are gone. Raises CustomerNotFound if the other is gone.
    """

    def attempt() -> None:
        before = anonymous(organization, before_id)
        if before is None:
            return
        after = customers.get(organization, after_id)
        name = {"name": before.name} if before.name is not None and after.name is None else {}
        email = {}
        if before.email is not None and after.email is None:
            email = {"email": before.email, EMAIL_IS_UNPROVEN: True}
        transaction = Transaction()
        customers.update(transaction, organization, after_id, {**name, **email})
        repository.delete(transaction, organization, before)
        for each in (before_id, after_id):
            search.put(transaction, search.customer(organization, each))
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def _move(transaction: Transaction, organization: str, before_id: str, after_id: str, fact: Fact) -> None:
    customers.delete_fact(transaction, organization, before_id, fact.id)
    customers.put_fact(transaction, organization, after_id, fact)
