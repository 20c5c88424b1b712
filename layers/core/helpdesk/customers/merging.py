"""Giving a customer what is known about an anonymous one, who then is gone."""

import contextlib
from collections.abc import Callable
from copy import replace

from helpdesk.customers import repository
from helpdesk.customers.errors import CustomerNotFound, FactNotFound
from helpdesk.customers.record import Customer
from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.search import jobs as search
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

type Require = Callable[[Transaction], None]
"""Adds to the transaction of a move what it requires of the two customers. That makes it raise CustomerNotFound."""

_FACTS = 40  # per page: each is two actions of a transaction


class MergeJob(JobBody, tag_field="kind", tag="merge"):
    """The job that gives a customer who signed in what they wrote before, as an anonymous visitor of the help site.

    It has the anonymous customer, the hash of their session, and the customer who takes both over.
    """

    organization: str
    anonymous_id: str
    session_hash: str
    customer_id: str


class _AlreadyNoted(Exception):
    """The customer takes the other one over already."""


def put_job(transaction: Transaction, job: MergeJob) -> None:
    """Add the job to a transaction."""
    queued = Job(JobQueue.ERASE, job.to_body(), job.anonymous_id)
    transaction.put(job_item(job.organization, queued), new=True)


def anonymous(organization: str, customer_id: str) -> Customer | None:
    """Return a customer who never signed in, None if they are gone, are being erased, or have signed in."""
    found = repository.find(organization, customer_id)
    return None if found is None or found.identities else found


def begin(organization: str, before_id: str, after_id: str) -> None:
    """Note with a customer whom they take over, before anything moves. May be repeated. Raises CustomerNotFound.

    The search index has posts by the number of the customer who wrote them, so an erasure asks it for both.
    """

    def meaning(found: Item | None) -> Exception:
        is_gone = found is None or Customer.from_item(found).erasing is not None
        return CustomerNotFound() if is_gone else _AlreadyNoted()

    transaction = Transaction()
    transaction.update(
        Customer.key_for(organization, after_id),
        "SET mergedFrom = list_append(if_not_exists(mergedFrom, :none), :before)",
        condition="attribute_exists(PK) AND attribute_not_exists(erasing) AND NOT contains(mergedFrom, :id)",
        values={":none": [], ":before": [before_id], ":id": before_id},
        on_failure=meaning,
    )
    with contextlib.suppress(_AlreadyNoted):
        transaction.commit()


def move_facts(organization: str, before_id: str, after_id: str, require: Require) -> None:
    """Move what the team noted about one customer to another, a page at a time. May be repeated.

    Raises what `require` makes the transactions raise.
    """
    while page := repository.facts.page(organization, before_id, limit=_FACTS, consistent=True).records:
        transaction = Transaction()
        require(transaction)
        for fact in page:
            transaction.delete(fact.key, require={}, on_failure=FactNotFound())
            transaction.put(replace(fact, customer_id=after_id), new=True)
        transaction.commit()


def finish(organization: str, seen: Customer, after_id: str) -> bool:
    """Remove a customer of whom nothing is left; return whether they are gone.

    Their name and address stay where no other is known, and that they unsubscribed from notices. The address stays
    unproven: that its owner signed in later proves another identity, not what was typed before. They stay if the team
    has started a conversation with them since they were seen. Raises CustomerNotFound if the other is gone.
    """

    def attempt() -> bool:
        before = anonymous(organization, seen.id)
        if before is None:
            return True
        if before.outreach_id != seen.outreach_id:
            return False
        after = repository.get(organization, after_id)
        name = {"name": before.name} if before.name is not None and after.name is None else {}
        email = {}
        if before.email is not None and after.email is None:
            email = {"email": before.email, "email_is_unproven": True}
        notices = {"notices_off": True} if before.notices_off else {}
        transaction = Transaction()
        repository.update(transaction, organization, after_id, {**name, **email, **notices})
        _delete(transaction, before)
        for each in (before.id, after_id):
            search.put(transaction, search.customer(organization, each))
        transaction.commit()
        return True

    return repeat_when_stale(attempt, ConditionFailed)


def _delete(transaction: Transaction, seen: Customer) -> None:
    """Remove an anonymous customer. The transaction raises ConditionFailed if they have changed, or are being erased.

    A conversation that the team has started with them is a change, too.
    """
    transaction.delete(
        seen.key,
        require={
            "updated_at": seen.updated_at,
            "outreach_id": seen.outreach_id,
            "identities": None,
            "notices_off": seen.notices_off or None,
            "erasing": None,
        },
        on_failure=ConditionFailed,
    )
