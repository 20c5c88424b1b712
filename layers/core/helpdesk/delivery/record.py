"""A delivery and its attempts, as stored in the table."""

from helpdesk.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.outbound.outcome import Failure
from helpdesk.platform.record import Record
from helpdesk.storage import attributes, keys
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item

_KNOWN_FAILURES = {failure.value for failure in Failure}


class DeliveryId(Record):
    """The identity of a delivery: one event and one endpoint."""

    organization: str
    endpoint_id: str
    event_id: str

    @property
    def key(self) -> keys.Delivery:
        """The item's key."""
        return keys.Delivery(self.organization, self.endpoint_id, self.event_id)


class AttemptRecord(Record):
    """One attempt in a delivery's history.

    attempt      its number in its run, 1 to 5
    at           when it began, in ms
    status       the HTTP status of the response; None if there was none
    error        why it failed; None if it succeeded
    duration_ms  how long it took
    """

    attempt: int
    at: int
    status: int | None
    error: Failure | None
    duration_ms: int

    @classmethod
    def interrupted(cls, progress: Progress) -> "AttemptRecord":
        """Return the record of the latest attempt, whose worker died before it recorded a result."""
        return cls(progress.made, progress.claimed_until - CLAIM_MS, None, Failure.INTERRUPTED, CLAIM_MS)

    @classmethod
    def from_item(cls, item: Item) -> "AttemptRecord":
        """Read an entry of a delivery's `attempts`. Raises UnreadableItem.

        A failure that this version does not know, from one that was rolled back, is read as INTERNAL.
        """
        error = attributes.optional_text(item, "error")
        return cls(
            attempt=attributes.number(item, "attempt"),
            at=attributes.number(item, "at"),
            status=attributes.optional_number(item, "status"),
            error=None if error is None else Failure(error) if error in _KNOWN_FAILURES else Failure.INTERNAL,
            duration_ms=attributes.number(item, "durationMs"),
        )

    def to_item(self) -> Item:
        """Return the entry for a delivery's `attempts`."""
        return {
            "attempt": self.attempt,
            "at": self.at,
            "status": self.status,
            "error": None if self.error is None else self.error.value,
            "durationMs": self.duration_ms,
        }


class DeliveryRecord(Record):
    """A delivery: its event, how far it has come, and its history. Times are in ms, `expires_at` is in seconds.

    next_at     when the next attempt is due; None if there is none
    attempts    in the order in which they ended
    indexed_at  its sort key among the pending deliveries, which is a time; None if it is not pending
    """

    id: DeliveryId
    type: str
    event_created_at: int
    created_at: int
    progress: Progress
    next_at: int | None
    attempts: tuple[AttemptRecord, ...]
    expires_at: int
    indexed_at: str | None = None

    @classmethod
    def from_item(cls, item: Item) -> "DeliveryRecord":
        """Read a delivery's item. Raises UnreadableItem, or ValueError for an unknown state."""
        key = keys.Delivery.parse(item["PK"], item["SK"])
        if key is None:
            raise UnreadableItem("PK")
        attempts = item.get("attempts")
        if not isinstance(attempts, list) or not all(isinstance(entry, dict) for entry in attempts):
            raise UnreadableItem("attempts")
        return cls(
            id=DeliveryId(key.organization, key.endpoint_id, key.event_id),
            type=attributes.text(item, "type"),
            event_created_at=attributes.number(item, "eventCreatedAt"),
            created_at=attributes.number(item, "createdAt"),
            progress=progress_from_item(item),
            next_at=attributes.optional_number(item, "nextAt"),
            attempts=tuple(AttemptRecord.from_item(entry) for entry in attempts),
            expires_at=attributes.number(item, "expiresAt"),
            indexed_at=item.get("GSI1SK"),
        )

    def to_item(self) -> Item:
        """Return the delivery's item, without its entry in the index of pending deliveries."""
        return {
            **self.id.key.attributes(),
            "eventId": self.id.event_id,
            "endpointId": self.id.endpoint_id,
            "type": self.type,
            "eventCreatedAt": self.event_created_at,
            "createdAt": self.created_at,
            "state": self.progress.state.value,
            "run": self.progress.run,
            "made": self.progress.made,
            "recorded": self.progress.recorded,
            "claimedUntil": self.progress.claimed_until,
            "nextAt": self.next_at,
            "attempts": [attempt.to_item() for attempt in self.attempts],
            "expiresAt": self.expires_at,
        }


def progress_from_item(item: Item) -> Progress:
    """Read from a delivery's item how far it has come. Raises UnreadableItem, or ValueError for an unknown state."""
    return Progress(
        DeliveryState(attributes.text(item, "state")),
        attributes.number(item, "made"),
        attributes.flag(item, "recorded"),
        attributes.number(item, "claimedUntil"),
        attributes.number(item, "run"),
    )
