"""What goes in and out of the webhook routes (Specification: Webhooks)."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from helpdesk.events.kinds import WebhookEvent
from helpdesk.http.schemas import Answer, Body


def _kind(value: object) -> object:
    """Return the event kind that a name names; a strict model takes no text for an enumeration otherwise."""
    try:
        return WebhookEvent(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"must be one of {', '.join(WebhookEvent)}") from None


type EventName = Annotated[WebhookEvent, BeforeValidator(_kind)]


class NewWebhook(Body):
    """The body of POST /webhooks. An event named twice counts once."""

    url: str
    events: list[EventName]


class WebhookUpdate(Body):
    """The body of PATCH /webhooks/{id}; what is left out stays as it is."""

    url: str | None = None
    events: list[EventName] | None = None


class WebhookCreated(Answer):
    """The answer of POST /webhooks."""

    id: str


class Webhook(Answer):
    """An endpoint as it is listed; times in ms (Specification: States, Webhook endpoint delivery status).

    `status` is none until the first delivery, failing while the latest attempt failed, delivered otherwise.
    `keyId` is the key that deliveries are signed with, null once that key was revoked.
    """

    id: str
    url: str
    events: list[WebhookEvent]
    created_at: int
    status: Literal["none", "delivered", "failing"]
    last_delivery_at: int | None
    failing_since: int | None
    key_id: str | None


class WebhooksAnswer(Answer):
    """GET /webhooks, in the order they were added."""

    webhooks: list[Webhook]
