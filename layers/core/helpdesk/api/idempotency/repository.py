"""The item of an Idempotency-Key and the conditional writes that change its state (see `service`).

`leaseUntil` is in ms, `expiresAt` in seconds. DynamoDB removes items late, so an expired item counts as absent.
"""

from collections.abc import Callable
from typing import cast

from helpdesk.api.idempotency.record import Idempotency, IdempotencyRecord, State
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class KeyTaken(Exception):
    """Another request holds the key; `record` is what is stored, None if it was removed in the same moment."""

    def __init__(self, record: IdempotencyRecord | None) -> None:
        self.record = record
        super().__init__("key taken")


def claim(key: Key, claim_id: str, fingerprint: str, *, now: int, lease_until: int, expires_at: int) -> None:
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
            names={"#state": "state", "#status": "status", "#body": "body"},
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
        found = None if failed.item is None else key.kind.from_item(failed.item)
        raise KeyTaken(cast("IdempotencyRecord | None", found)) from None


def proof(key: Key, claim_id: str, on_failure: Callable[[], Exception]) -> Transaction:
    """Return the actions that prove the claim and mark it applied, for the request's first transaction."""
    transaction = Transaction()
    transaction.change(
        key,
        set={"state": State.APPLIED},
        require={"claim_id": claim_id, "state": State.RUNNING},
        on_failure=lambda _: on_failure(),
    )
    return transaction


def store_response(key: Key, claim_id: str, status: int, body: str) -> None:
    """Store the response. Raises table.ConditionFailed if a repeat holds the claim, table.Throttled."""
    table.change(
        key, set={"state": State.ANSWERED, "status": status, "body": body}, require={"claim_id": claim_id}
    )


def withhold_response(key: Key, claim_id: str, advice: str) -> None:
    """Store advice for repeats instead of the response. Raises as `store_response` does."""
    table.change(key, set={"state": State.WITHHELD, "advice": advice}, require={"claim_id": claim_id})


def discard_response(key: Key, claim_id: str) -> None:
    """Mark that the response will never be stored. Raises as `store_response` does."""
    table.change(key, set={"state": State.APPLIED, "lease_until": 0}, require={"claim_id": claim_id})


def release(key: Key, claim_id: str, now: int) -> None:
    """Release the key, unless the request changed something.

    From then on a transaction of the request that is still in flight fails. Raises table.ConditionFailed,
    table.Throttled.
    """
    table.change(
        key,
        set={"state": State.RELEASED, "expires_at": now // 1_000},
        require={"claim_id": claim_id, "state": State.RUNNING},
    )


def forget_response(organization: str, request_hash: str) -> None:
    """Remove a stored response; nothing happens if there is none. A repeat then counts as a new request."""
    table.delete(Idempotency.key_for(organization, request_hash))
