"""The items of erasures.

A transaction that removes something also counts it. So even after a crash, or with two workers at once, the counts are
exact.
"""

from helpdesk.platform import clock
from helpdesk.privacy.errors import ErasureNotFound
from helpdesk.privacy.record import Erasure
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


def put(transaction: Transaction, organization: str, erasure: Erasure, expires_at: int | None = None) -> None:
    """Add an erasure; `expires_at` is in seconds. The transaction raises ConditionFailed if the id exists."""
    expiry: Item = {} if expires_at is None else {"expiresAt": expires_at}
    transaction.put(
        {**keys.Erasure(organization, erasure.id).attributes(), **erasure.to_item(), **expiry},
        new=True,
        on_failure=ConditionFailed,
    )


def find(organization: str, erasure_id: str) -> Erasure | None:
    """Return an erasure, or None."""
    item = table.get(keys.Erasure(organization, erasure_id))
    return Erasure.from_item(item) if item is not None else None


def get(organization: str, erasure_id: str) -> Erasure:
    """Return an erasure. Raises ErasureNotFound."""
    erasure = find(organization, erasure_id)
    if erasure is None:
        raise ErasureNotFound
    return erasure


def count(transaction: Transaction, organization: str, erasure_id: str, **counted: int) -> None:
    """Add to the counts of an erasure."""
    names = {f"#{kind}": kind for kind in counted}
    transaction.update(
        keys.Erasure(organization, erasure_id),
        # An erasure that an earlier version began lacks the kinds that it did not know.
        "SET "
        + ", ".join(f"counts.#{kind} = if_not_exists(counts.#{kind}, :none) + :{kind}" for kind in counted),
        condition="attribute_exists(PK)",
        names=names,
        values={":none": 0, **{f":{kind}": number for kind, number in counted.items()}},
    )


def finish(transaction: Transaction, organization: str, erasure_id: str, *, customers: int = 0) -> None:
    """Mark an erasure as finished and count the customer that the same transaction removes.

    The transaction raises ConditionFailed if the erasure is finished.
    """
    transaction.update(
        keys.Erasure(organization, erasure_id),
        "SET finishedAt = :now, counts.customers = counts.customers + :customers REMOVE sessionHash",
        condition="finishedAt = :never",
        values={":now": clock.now_ms(), ":never": None, ":customers": customers},
        on_failure=ConditionFailed,
    )
