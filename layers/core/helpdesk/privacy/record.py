"""The item of an erasure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from helpdesk.storage.table import Item

COUNTED = ("customers", "conversations", "messages", "notes", "ratings", "files", "events", "facts")


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure of a customer, or of the conversations that exceeded the retention period. Instants are in ms.

    `customer_id` is None for retention; `before` is then the instant before which conversations are erased.
    `session_hash` is the customer's session while the erasure runs.
    """

    id: str
    customer_id: str | None
    requested_at: int
    finished_at: int | None = None
    counts: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    session_hash: str | None = None
    before: int | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an erasure's item."""
        return cls(
            id=item["id"],
            customer_id=item["customerId"],
            requested_at=int(item["requestedAt"]),
            finished_at=item["finishedAt"],
            counts={kind: int(item["counts"][kind]) for kind in COUNTED},
            session_hash=item.get("sessionHash"),
            before=item.get("before"),
        )

    def to_item(self) -> Item:
        """Return the attributes of the erasure's item, without its keys."""
        item: Item = {
            "id": self.id,
            "customerId": self.customer_id,
            "requestedAt": self.requested_at,
            "finishedAt": self.finished_at,
            "counts": dict(self.counts),
        }
        if self.customer_id is not None:
            item["sessionHash"] = self.session_hash
        if self.before is not None:
            item["before"] = self.before
        return item
