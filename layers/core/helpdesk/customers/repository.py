"""Items of customers."""

from collections.abc import Sequence

from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


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
            **told,
        },
        new=True,
    )


def overwrite(transaction: Transaction, organization: str, customer_id: str, told: Item) -> None:
    """Overwrite what was told anew; what was not stays."""
    values = {**told, "updatedAt": clock.now_ms()}
    transaction.update(
        keys.Customer(organization, customer_id),
        "SET " + ", ".join(f"#{name} = :{name}" for name in values),
        names={f"#{name}": name for name in values},
        values={f":{name}": value for name, value in values.items()},
    )


def get_many(organization: str, customer_ids: Sequence[str]) -> dict[str, Item]:
    """Return the items of customers by id."""
    wanted = [keys.Customer(organization, customer_id) for customer_id in dict.fromkeys(customer_ids)]
    return {item["id"]: item for item in table.get_many(wanted, consistent=False).values()}
