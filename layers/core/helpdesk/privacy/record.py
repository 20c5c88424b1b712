"""The item of an erasure."""

from msgspec.structs import asdict

from helpdesk.platform.record import Record
from helpdesk.storage.stored import Stored


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


class Erasure(Stored, kw_only=True):
    """An erasure of a customer, or of the conversations that exceeded the retention period. Instants are in ms.

    `customer_id` is None for retention; `before` is then the instant before which conversations are erased.
    `session_hash` is the customer's session while the erasure runs. DynamoDB deletes the record of an erasure for
    retention some time after `expires_at` (seconds).
    """

    PK, SK = "ORG#{organization}#ERASURE#{id}", "ERASURE"
    organization: str
    id: str
    customer_id: str | None = None
    requested_at: int
    finished_at: int | None = None
    counts: Counts = Counts()
    session_hash: str | None = None
    before: int | None = None
    expires_at: int | None = None
