"""The item of an Idempotency-Key and the conditional writes that change its state (see `service`).

`leaseUntil` is in ms, `expiresAt` in seconds. DynamoDB removes items late, so an expired item counts as absent.
"""

from collections.abc import Callable, Mapping

from helpdesk.idempotency.record import IdempotencyRecord, State
from helpdesk.storage import keys, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_NAMES = {"#state": "state"}


class KeyTaken(Exception):
    """Another request holds the key; `record` is what is stored, None if it was removed in the same moment."""

    def __init__(self, record: IdempotencyRecord | None) -> None:
        self.record = record
        super().__init__("key taken")


def claim(
    key: ItemKey, claim_id: str, fingerprint: str, *, now: int, lease_until: int, expires_at: int
) -> None:
    """Claim the key for a request, in one write.

    A key that is new, expired or released can be claimed. So can one whose earlier request, with the same fingerprint,
    exceeded its lease without a change. Raises KeyTaken, table.Throttled.
    """
    try:
        table.update(
            key,
            "SET #state = :running, claimId = :claim, fingerprint = :fingerprint, leaseUntil = :lease, "
            "expiresAt = :expires REMOVE #status, #body, advice",
            # The claim's own id is found if the first try was written and its response was lost.
            condition="attribute_not_exists(PK) OR expiresAt <= :seconds OR #state = :released OR claimId = :claim "
            "OR (#state = :running AND leaseUntil <= :now AND fingerprint = :fingerprint)",
            names=_NAMES | {"#status": "status", "#body": "body"},
            values={
                ":running": State.RUNNING.value,
                ":released": State.RELEASED.value,
                ":claim": claim_id,
                ":fingerprint": fingerprint,
                ":now": now,
                ":seconds": now // 1_000,
                ":lease": lease_until,
                ":expires": expires_at,
            },
        )
    except ConditionFailed as failed:
        raise KeyTaken(
            IdempotencyRecord.from_item(failed.item) if failed.item is not None else None
        ) from None


def proof(key: ItemKey, claim_id: str, on_failure: Callable[[], Exception]) -> Transaction:
    """Return the actions that prove the claim and mark it applied, for the request's first transaction."""
    transaction = Transaction()
    transaction.update(
        key,
        "SET #state = :applied",
        condition="claimId = :claim AND #state = :running",
        names=_NAMES,
        values={
            ":applied": State.APPLIED.value,
            ":running": State.RUNNING.value,
            ":claim": claim_id,
        },
        on_failure=lambda _: on_failure(),
    )
    return transaction


def store_response(key: ItemKey, claim_id: str, status: int, body: str) -> None:
    """Store the response. Raises table.ConditionFailed if a repeat holds the claim, table.Throttled."""
    _finish(key, claim_id, State.ANSWERED, {"status": status, "body": body})


def withhold_response(key: ItemKey, claim_id: str, advice: str) -> None:
    """Store advice for repeats instead of the response. Raises as `store_response` does."""
    _finish(key, claim_id, State.WITHHELD, {"advice": advice})


def discard_response(key: ItemKey, claim_id: str) -> None:
    """Mark that the response will never be stored. Raises as `store_response` does."""
    _finish(key, claim_id, State.APPLIED, {"leaseUntil": 0})


def release(key: ItemKey, claim_id: str, now: int) -> None:
    """Release the key, unless the request changed something.

    From then on a transaction of the request that is still in flight fails. Raises table.ConditionFailed,
    table.Throttled.
    """
    table.update(
        key,
        "SET #state = :released, expiresAt = :seconds",
        condition="claimId = :claim AND #state = :running",
        names=_NAMES,
        values={
            ":released": State.RELEASED.value,
            ":running": State.RUNNING.value,
            ":claim": claim_id,
            ":seconds": now // 1_000,
        },
    )


def delete(organization: str, request_hash: str) -> None:
    """Remove a key by its hash; nothing happens if there is none."""
    table.delete(keys.Idempotency(organization, request_hash))


def _finish(key: ItemKey, claim_id: str, state: State, attributes: Mapping[str, str | int]) -> None:
    names = {f"#{name}": name for name in attributes}
    table.update(
        key,
        "SET #state = :state" + "".join(f", #{name} = :{name}" for name in attributes),
        condition="claimId = :claim",
        names=_NAMES | names,
        values={":state": state.value, ":claim": claim_id}
        | {f":{name}": value for name, value in attributes.items()},
    )
