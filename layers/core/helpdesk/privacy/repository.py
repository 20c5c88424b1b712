"""The items of erasures.

A transaction that removes something also counts it. So even after a crash, or with two workers at once, the counts are
exact.
"""

from helpdesk.platform import clock
from helpdesk.privacy.errors import ErasureNotFound
from helpdesk.privacy.record import Erasure
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import EXISTS, ConditionFailed
from helpdesk.storage.transactions import Transaction

erasures = Collection(Erasure, missing=ErasureNotFound)


def count(transaction: Transaction, organization: str, erasure_id: str, **counted: int) -> None:
    """Add to the counts of an erasure."""
    names = {f"#{kind}": kind for kind in counted}
    transaction.update(
        Erasure.key_for(organization, erasure_id),
        "SET " + ", ".join(f"counts.#{kind} = counts.#{kind} + :{kind}" for kind in counted),
        condition=EXISTS,
        names=names,
        values={f":{kind}": number for kind, number in counted.items()},
    )


def finish(transaction: Transaction, organization: str, erasure_id: str, *, customers: int = 0) -> None:
    """Mark an erasure as finished and count the customer that the same transaction removes.

    The transaction raises ConditionFailed if the erasure is finished.
    """
    transaction.update(
        Erasure.key_for(organization, erasure_id),
        "SET finishedAt = :now, counts.customers = counts.customers + :customers REMOVE sessionHash",
        condition=f"{EXISTS} AND attribute_not_exists(finishedAt)",
        values={":now": clock.now_ms(), ":customers": customers},
        on_failure=ConditionFailed,
    )
