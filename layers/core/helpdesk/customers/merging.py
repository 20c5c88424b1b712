"""Giving a customer what is known about an anonymous one, who then is gone."""

import contextlib
from collections.abc import Callable
from copy import replace

from helpdesk.customers import merge_repository as repository
from helpdesk.customers import repository as customers
from helpdesk.customers.errors import FactNotFound
from helpdesk.customers.merge_repository import AlreadyNoted
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, Customer
from helpdesk.search import jobs as search
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

type Require = Callable[[Transaction], None]
"""Adds to the transaction of a move what it requires of the two customers. That makes it raise CustomerNotFound."""

FACTS = 40
"""Facts per page: each is two actions of a transaction."""


def anonymous(organization: str, customer_id: str) -> Customer | None:
    """Return a customer who never signed in, None if they are gone, are being erased, or have signed in."""
    found = customers.find(organization, customer_id)
    return None if found is None or found.identities else found


def begin(organization: str, before_id: str, after_id: str) -> None:
    """Note with a customer whom they take over, before anything moves. May be repeated. Raises CustomerNotFound.

    The search index has posts by the number of the customer who wrote them, so an erasure asks it for both.
    """
    transaction = Transaction()
    repository.note(transaction, organization, after_id, before_id)
    with contextlib.suppress(AlreadyNoted):
        transaction.commit()


def move_facts(organization: str, before_id: str, after_id: str, require: Require) -> None:
    """Move what the team noted about one customer to another, a page at a time. May be repeated.

    Raises what `require` makes the transactions raise.
    """
    while page := customers.newest_facts(organization, before_id, FACTS, None)[0]:
        transaction = Transaction()
        require(transaction)
        for fact in page:
            transaction.delete(fact.key, require={}, on_failure=FactNotFound())
            transaction.put(replace(fact, customer_id=after_id), new=True)
        transaction.commit()


def finish(organization: str, seen: Customer, after_id: str) -> bool:
    """Remove a customer of whom nothing is left; return whether they are gone.

    Their name and address stay where no other is known. The address stays unproven: that its owner signed in later
    proves another identity, not what was typed before. They stay if the team has started a conversation with them since
    they were seen. Raises CustomerNotFound if the other is gone.
    """

    def attempt() -> bool:
        before = anonymous(organization, seen.id)
        if before is None:
            return True
        if before.outreach_id != seen.outreach_id:
            return False
        after = customers.get(organization, after_id)
        name = {"name": before.name} if before.name is not None and after.name is None else {}
        email = {}
        if before.email is not None and after.email is None:
            email = {"email": before.email, EMAIL_IS_UNPROVEN: True}
        transaction = Transaction()
        customers.update(transaction, organization, after_id, {**name, **email})
        repository.delete(transaction, organization, before)
        for each in (before.id, after_id):
            search.put(transaction, search.customer(organization, each))
        transaction.commit()
        return True

    return repeat_when_stale(attempt, ConditionFailed)
