"""Items of customers and of the facts about them."""

from collections.abc import Sequence

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import EMAIL_IS_UNPROVEN, Customer, Fact
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_IS_THERE = f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})"


facts = Collection(Fact)


class ConcurrentOutreach(ConditionFailed):
    """Another message to the same customer, who has no session, has started a conversation."""


def put(
    transaction: Transaction, organization: str, customer_id: str, session_hash: str | None, identity: Item
) -> None:
    """Add a new customer; `identity` holds what is said about them. Without a message, the session is None."""
    now = clock.now_ms()
    transaction.put(
        {
            **keys.Customer(organization, customer_id).attributes(),
            "id": customer_id,
            **({"sessionHash": session_hash} if session_hash else {}),
            "createdAt": now,
            "updatedAt": now,
            "GSI1PK": keys.customers(organization),
            "GSI1SK": customer_id,
            **identity,
        },
        new=True,
    )


def update(transaction: Transaction, organization: str, customer_id: str, identity: Item) -> None:
    """Overwrite the attributes in `identity`, remove those that are None there, and leave the others.

    An address replaces the one before with what was known about it: it is unproven only if `identity` says so.
    The transaction raises CustomerNotFound.
    """
    values = {
        **{name: value for name, value in identity.items() if value is not None},
        "updatedAt": clock.now_ms(),
    }
    removed = [name for name, value in identity.items() if value is None]
    if "email" in identity and EMAIL_IS_UNPROVEN not in identity:
        removed.append(EMAIL_IS_UNPROVEN)
    transaction.set(
        keys.Customer(organization, customer_id),
        values,
        removed=removed,
        condition=_IS_THERE,
        on_failure=lambda _: CustomerNotFound(),
    )


def find(organization: str, customer_id: str) -> Customer | None:
    """Return a customer, None if they are gone or being erased."""
    item = table.get(keys.Customer(organization, customer_id))
    return None if item is None or BEING_ERASED in item else Customer.from_item(item)


def get(organization: str, customer_id: str) -> Customer:
    """Return a customer. Raises CustomerNotFound."""
    found = find(organization, customer_id)
    if found is None:
        raise CustomerNotFound
    return found


def get_many(organization: str, customer_ids: Sequence[str]) -> dict[str, Customer]:
    """Return customers by id, without those that are gone. What was written a moment ago may be missing."""
    wanted = [keys.Customer(organization, customer_id) for customer_id in dict.fromkeys(customer_ids)]
    found = table.get_many(wanted, consistent=False).values()
    return {item["id"]: Customer.from_item(item) for item in found if BEING_ERASED not in item}


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Customer], str | None]:
    """Return the newest customers, older than the id `before`, and the id to continue from, None at the end.

    One query.
    """
    partition = keys.customers(organization)
    after = None
    if before is not None:
        key = keys.Customer(organization, before)
        after = {**key.attributes(), "GSI1SK": before}
    page = table.query(partition, index="GSI1", limit=limit, newest_first=True, after=after)
    found = [Customer.from_item(item) for item in page.items]
    return found, found[-1].id if page.after else None


def require(transaction: Transaction, organization: str, customer_id: str) -> None:
    """Require that a customer still exists. The transaction raises CustomerNotFound."""
    transaction.require(
        keys.Customer(organization, customer_id),
        _IS_THERE,
        on_failure=lambda _: CustomerNotFound(),
    )


def note_outreach(
    transaction: Transaction, organization: str, customer: Customer, conversation_id: str
) -> None:
    """Write which conversation the team has started with a customer who has no session.

    The transaction raises ConcurrentOutreach if another was started since the customer was read, so that two at once
    start one; CustomerNotFound if the customer is gone.
    """
    was = customer.outreach_id

    def meaning(found: Item | None) -> Exception:
        return ConcurrentOutreach(found) if found and BEING_ERASED not in found else CustomerNotFound()

    transaction.update(
        keys.Customer(organization, customer.id),
        "SET outreachId = :new",
        condition=f"{_IS_THERE} AND " + ("outreachId = :was" if was else "attribute_not_exists(outreachId)"),
        values={":new": conversation_id, **({":was": was} if was else {})},
        on_failure=meaning,
    )


def newest_facts(
    organization: str, customer_id: str, limit: int, before: str | None
) -> tuple[list[Fact], str | None]:
    """Return the newest facts about a customer, older than the id `before`, and the id to continue from. One query."""
    after = Fact.key_for(organization, customer_id, before).attributes() if before else None
    page = facts.page(organization, customer_id, limit=limit, newest_first=True, after=after, consistent=True)
    return page.records, page.records[-1].id if page.after else None
