"""The item of an Idempotency-Key."""

from enum import StrEnum
from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class State(StrEnum):
    """How far the request that claimed the key has come."""

    RUNNING = "running"
    """It is claimed. Until its lease ends, no repeat can run."""
    APPLIED = "applied"
    """Its changes are written; its response is not stored yet."""
    ANSWERED = "answered"
    """Its response is stored."""
    WITHHELD = "withheld"
    """Its response contained a secret and is not stored."""
    RELEASED = "released"
    """It was rejected and changed nothing. Any request can use the key again."""


class IdempotencyRecord(Record):
    """An Idempotency-Key as stored.

    `lease_until` is in ms. `status` and `body` are the stored response, set in the state ANSWERED. `advice` says what a
    repeat should do instead, set in the state WITHHELD.
    """

    state: State
    fingerprint: str
    lease_until: int
    status: int | None = None
    body: str | None = None
    advice: str | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a key's item."""
        return cls(
            state=State(item["state"]),
            fingerprint=item["fingerprint"],
            lease_until=int(item["leaseUntil"]),
            status=item.get("status"),
            body=item.get("body"),
            advice=item.get("advice"),
        )
