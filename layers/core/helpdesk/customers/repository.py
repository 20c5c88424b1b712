"""Items of customers and of the facts about them."""

from collections.abc import Sequence

from helpdesk.customers.errors import CustomerNotFound, FactNotFound
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_IS_THERE = f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})"


class OutreachMeanwhile(ConditionFailed):
    """Another message was sent to the same customer, who has no session, and started a conversation."""


def put(transaction: Transaction, organization: str, customer_id: str, session_hash: str, told: Item) -> None:
    """Add a new customer."""
    now = clock.now_ms()
    transaction.put(
        {
            **keys.Customer(organization, customer_id).attributes(),
            "id": customer_id,
            "sessionHash": session_hash,
            "createdAt": now,
            "updatedAt": now,
            "GSI1PK": keys.customers(organization),
            "GSI1SK": customer_id,
            **told,
        },
        new=True,
    )


def overwrite(transaction: Transaction, organization: str, customer_id: str, told: Item) -> None:
    """Overwrite what was told anew; what was not stays. The transaction raises CustomerNotFound."""
    values = {**told, "updatedAt": clock.now_ms()}
    transaction.update(
        keys.Customer(organization, customer_id),
        "SET " + ", ".join(f"#{name} = :{name}" for name in values),
        condition=_IS_THERE,
        on_failure=lambda _: CustomerNotFound(),
        names={f"#{name}": name for name in values},
        values={f":{name}": value for name, value in values.items()},
    )


def get(organization: str, customer_id: str) -> Item:
    """Return a customer's item. Raises CustomerNotFound."""
    item = table.get(keys.Customer(organization, customer_id))
    if item is None or BEING_ERASED in item:
        raise CustomerNotFound
    return item


def get_many(organization: str, customer_ids: Sequence[str]) -> dict[str, Item]:
    """Return the items of customers by id."""
    wanted = [keys.Customer(organization, customer_id) for customer_id in dict.fromkeys(customer_ids)]
    found = table.get_many(wanted, consistent=False).values()
    return {item["id"]: item for item in found if BEING_ERASED not in item}


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Item], str | None]:
    """Return the newest customers, older than the id `before`; and the id to go on from, None at the end.

    One query.
    """
    partition = keys.customers(organization)
    after = None
    if before is not None:
        key = keys.Customer(organization, before)
        after = {**key.attributes(), "GSI1PK": partition, "GSI1SK": before}
    page = table.query(partition, index="GSI1", limit=limit, newest_first=True, after=after)
    return page.items, page.items[-1]["id"] if page.after else None


def require(transaction: Transaction, organization: str, customer_id: str) -> None:
    """Require that a customer is still there. The transaction raises CustomerNotFound."""
    transaction.require(
        keys.Customer(organization, customer_id),
        _IS_THERE,
        on_failure=lambda _: CustomerNotFound(),
    )


def note_outreach(transaction: Transaction, organization: str, customer: Item, conversation_id: str) -> None:
    """Note which conversation the team has started with a customer who has no session.

    The transaction raises OutreachMeanwhile where it is not the customer's first since they were read, so two at once
    start one; CustomerNotFound where the customer is gone.
    """
    was = customer.get("outreachId")

    def meaning(found: Item | None) -> Exception:
        return OutreachMeanwhile(found) if found and BEING_ERASED not in found else CustomerNotFound()

    transaction.update(
        keys.Customer(organization, customer["id"]),
        "SET outreachId = :new",
        condition=f"{_IS_THERE} AND " + ("outreachId = :was" if was else "attribute_not_exists(outreachId)"),
        values={":new": conversation_id, **({":was": was} if was else {})},
        on_failure=meaning,
    )


def put_fact(transaction: Transaction, organization: str, customer_id: str, fact: Item) -> None:
    """Add a fact. Raises nothing: that the customer is there is required beside it."""
    transaction.put({**keys.Fact(organization, customer_id, fact["id"]).attributes(), **fact}, new=True)


def delete_fact(transaction: Transaction, organization: str, customer_id: str, fact_id: str) -> None:
    """Remove a fact. The transaction raises FactNotFound."""
    transaction.delete(
        keys.Fact(organization, customer_id, fact_id),
        condition="attribute_exists(PK)",
        on_failure=lambda _: FactNotFound(),
    )


def newest_facts(
    organization: str, customer_id: str, limit: int, before: str | None
) -> tuple[list[Item], str | None]:
    """Return the newest facts about a customer, older than the id `before`; and the id to go on from. One query."""
    page = table.query(
        keys.Customer(organization, customer_id).pk,
        sk_prefix="FACT#",
        limit=limit,
        newest_first=True,
        after=keys.Fact(organization, customer_id, before).attributes() if before else None,
        consistent=True,
    )
    return page.items, page.items[-1]["id"] if page.after else None
