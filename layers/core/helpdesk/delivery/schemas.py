"""What goes out of the routes on deliveries."""

from typing import Annotated, Literal

from helpdesk.http.schemas import Answer, Milliseconds, schema_hint
from helpdesk.outbound.outcome import Failure

Status = Literal["pending", "delivered", "failed", "cancelled"]


class Attempt(Answer):
    """One attempt of a delivery."""

    attempt: int
    """Which one it was, 1 to 5; a redelivery begins again with 1."""
    at: Milliseconds
    """When it began."""
    status: int | None
    """The HTTP status of your server's answer; null when none came."""
    duration_ms: Annotated[int, schema_hint(minimum=0)]
    """How long it took, in milliseconds."""
    error: Failure | None
    """Why it failed; null when it succeeded."""


class DeliveryShown(Answer):
    """One event's way to one endpoint."""

    event_id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]
    type: str
    """The event's kind."""
    created_at: Milliseconds
    """When the event happened."""
    status: Status
    """`pending` until an attempt succeeds, `failed` after the fifth failure, `cancelled` when the event was erased."""
    attempts: list[Attempt]
    """In the order in which they ended; the newest 50."""
    next_attempt_at: Milliseconds | None
    """When the next attempt is due; null when none is, or one is under way."""


class DeliveriesAnswer(Answer):
    """GET /webhooks/{id}/deliveries, the newest events first."""

    deliveries: list[DeliveryShown]
    next_cursor: str | None
    """Send it as `cursor` for older deliveries; null at the end."""
