"""The item of an Idempotency-Key, and the conditional writes that move it from state to state (see `service`).

`leaseUntil` is in ms, `expiresAt` in seconds; DynamoDB removes late, so what expired is here as good as gone.
"""

from collections.abc import Callable
from enum import StrEnum

from helpdesk.storage import table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_NAMES = {"#state": "state"}


class State(StrEnum):
    """How far the request has come that holds the key."""

    RUNNING = "running"
    """It was claimed; until its lease ends nobody else may begin."""
    APPLIED = "applied"
    """What it changes is written; its answer is not kept yet."""
    ANSWERED = "answered"
    """Its answer is kept."""
    WITHHELD = "withheld"
    """It was answered with a secret, which is not kept."""
    RELEASED = "released"
    """It was refused and changed nothing: the key is as good as new, for any request."""


def claim(
    key: ItemKey, claim_id: str, fingerprint: str, *, now: int, lease_until: int, expires_at: int
) -> None:
    """Take the key for a request, in one write.

    It can be had where it is new, expired or released, and by the same request where an earlier one is past its lease
    without having changed anything. Raises table.ConditionFailed with the item as it is, table.Throttled.
    """
    table.update(
        key,
        "SET #state = :running, claimId = :claim, fingerprint = :fingerprint, leaseUntil = :lease, "
        "expiresAt = :expires REMOVE #status, #body, advice",
        # One's own claim is found where the first try was written and its answer did not come.
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


def proof(key: ItemKey, claim_id: str, on_failure: Callable[[], Exception]) -> Transaction:
    """Return what the request's first transaction is to carry: the claim is still its own, and is applied now."""
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


def keep_answer(key: ItemKey, claim_id: str, status: int, body: str) -> None:
    """Keep what was answered. Raises table.ConditionFailed where the claim passed to a repeat, table.Throttled."""
    _finish(key, claim_id, State.ANSWERED, {"status": status, "body": body})


def withhold_answer(key: ItemKey, claim_id: str, advice: str) -> None:
    """Keep, in place of an answer, what a repeat is told to do. Raises as `keep_answer` does."""
    _finish(key, claim_id, State.WITHHELD, {"advice": advice})


def give_up_answer(key: ItemKey, claim_id: str) -> None:
    """Say that the answer will never be kept. Raises as `keep_answer` does."""
    _finish(key, claim_id, State.APPLIED, {"leaseUntil": 0})


def release(key: ItemKey, claim_id: str, now: int) -> None:
    """Give the key free, unless the request changed something.

    A transaction of its that is still on its way fails from here on. Raises table.ConditionFailed, table.Throttled.
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


def _finish(key: ItemKey, claim_id: str, state: State, kept: Item) -> None:
    names = {f"#{name}": name for name in kept}
    table.update(
        key,
        "SET #state = :state" + "".join(f", #{name} = :{name}" for name in kept),
        condition="claimId = :claim",
        names=_NAMES | names,
        values={":state": state.value, ":claim": claim_id} | {f":{name}": kept[name] for name in kept},
    )
