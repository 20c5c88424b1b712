"""What goes in and out of the webhook routes (Specification: Webhooks)."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from helpdesk.delivery.addresses import MAX_URL_CHARACTERS
from helpdesk.events.kinds import WebhookEvent
from helpdesk.http.schemas import Answer, Body, Milliseconds, shown


def _kind(value: object) -> object:
    """Return the event kind that a name names; a strict model takes no text for an enumeration otherwise."""
    try:
        return WebhookEvent(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"must be one of {', '.join(WebhookEvent)}") from None


EventName = Annotated[WebhookEvent, BeforeValidator(_kind)]
EndpointUrl = Annotated[str, shown(maxLength=MAX_URL_CHARACTERS, format="uri")]


class NewWebhook(Body):
    """The body of POST /webhooks. An event named twice counts once."""

    url: EndpointUrl
    """HTTPS, on a public internet address, without credentials in it."""
    events: Annotated[list[EventName], shown(minItems=1)]
    """The kinds of event to be sent; one named twice counts once."""


class WebhookUpdate(Body):
    """The body of PATCH /webhooks/{id}; what is left out stays as it is."""

    url: EndpointUrl | None = None
    """The new address; it also applies to retries that already wait."""
    events: Annotated[list[EventName], shown(minItems=1)] | None = None
    """Replaces the old list."""


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
    created_at: Milliseconds
    status: Literal["none", "delivered", "failing"]
    """`none` until the first delivery, `failing` while the latest attempt failed, `delivered` otherwise."""
    last_delivery_at: Milliseconds | None
    """When a delivery last succeeded."""
    failing_since: Milliseconds | None
    """When the present failure began."""
    key_id: str | None
    """The key that deliveries are signed with; null once it was revoked."""


class WebhooksAnswer(Answer):
    """GET /webhooks, in the order they were added."""

    webhooks: list[Webhook]
