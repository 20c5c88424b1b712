"""Responses of the delivery routes."""

from typing import Annotated, Literal

from helpdesk.api.http.schemas import Answer, Milliseconds, schema_hint
from helpdesk.outbound.outcome import Failure

Status = Literal["pending", "delivered", "failed", "cancelled"]


class Attempt(Answer):
    """One attempt of a delivery."""

    attempt: int
    """Its number, 1 to 5. A redelivery starts again with 1."""
    at: Milliseconds
    """When it began."""
    status: int | None
    """The HTTP status of your server's response; null if there was none."""
    duration_ms: Annotated[int, schema_hint(minimum=0)]
    """How long it took until the response's headers or the failure, in milliseconds."""
    error: Failure | None
    """Why it failed; null if it succeeded."""


class DeliveryShown(Answer):
    """The delivery of one event to one endpoint."""

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
    """When the next attempt is due; null if there is none or one is under way."""


class DeliveriesAnswer(Answer):
    """GET /webhooks/{id}/deliveries, the newest events first."""

    deliveries: list[DeliveryShown]
    next_cursor: str | None
    """Send it as `cursor` for older deliveries; null at the end."""
