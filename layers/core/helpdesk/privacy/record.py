"""The item of an erasure."""

from typing import Self

from msgspec.structs import asdict

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class Counts(Record):
    """How many items of each kind an erasure has removed."""

    customers: int = 0
    conversations: int = 0
    messages: int = 0
    notes: int = 0
    ratings: int = 0
    files: int = 0
    events: int = 0
    facts: int = 0
    posts: int = 0
    votes: int = 0
    comments: int = 0
    threads: int = 0

    def by_kind(self) -> dict[str, int]:
        """Return the counts by the name of their kind."""
        counts: dict[str, int] = asdict(self)
        return counts


class Erasure(Record):
    """An erasure of a customer, or of the conversations that exceeded the retention period. Instants are in ms.

    `customer_id` is None for retention; `before` is then the instant before which conversations are erased.
    `session_hash` is the customer's session while the erasure runs.
    """

    id: str
    customer_id: str | None
    requested_at: int
    finished_at: int | None = None
    counts: Counts = Counts()
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
            counts=Counts(**{kind: int(number) for kind, number in item["counts"].items()}),
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
            "counts": self.counts.by_kind(),
        }
        if self.customer_id is not None:
            item["sessionHash"] = self.session_hash
        if self.before is not None:
            item["before"] = self.before
        return item
