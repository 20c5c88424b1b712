"""A delivery and its attempts, as stored in the table."""

from helpdesk.outbound.outcome import Failure
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Key, Stored
from helpdesk.webhooks.delivery.attempts import CLAIM_MS, DeliveryState, Progress


class DeliveryId(Record):
    """The identity of a delivery: one event and one endpoint."""

    organization: str
    endpoint_id: str
    event_id: str

    @property
    def key(self) -> Key:
        """The item's key."""
        return Delivery.key_for(self.organization, self.endpoint_id, self.event_id)


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


class Delivery(Stored, kw_only=True):
    """The delivery of one event to one endpoint, written with its first attempt. Times are in ms.

    `expires_at` is in seconds.

    state to run  how far it has come (`attempts.Progress`)
    next_at       when the next attempt is due; None if there is none
    attempts      in the order in which they ended
    write_token   the random text of the last write that moved it on
    """

    PK, SK = "ORG#{organization}#DELIVERY#{endpoint_id}", "{event_id}"
    organization: str
    endpoint_id: str
    event_id: str
    type: str
    event_created_at: int
    state: DeliveryState
    made: int
    recorded: bool
    claimed_until: int
    run: int
    next_at: int | None = None
    attempts: tuple[AttemptRecord, ...]
    expires_at: int
    write_token: str | None = None

    @property
    def id(self) -> DeliveryId:
        """Which event goes to which endpoint."""
        return DeliveryId(self.organization, self.endpoint_id, self.event_id)

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return Progress(self.state, self.made, self.recorded, self.claimed_until, self.run)
