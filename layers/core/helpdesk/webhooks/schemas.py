"""What goes in and out of the webhook routes (Specification: Webhooks)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from helpdesk.api.http.schemas import (
    Answer,
    Body,
    Instant,
    Milliseconds,
    OneTimeSecret,
    PageQuery,
    schema_hint,
)
from helpdesk.api.http.unknown_names import NotOneOf
from helpdesk.events.kinds import WebhookEvent
from helpdesk.outbound.errors import MAX_URL_CHARACTERS


def _kind(value: object) -> object:
    """Return the event kind with this name. A strict model accepts no text for an enumeration otherwise."""
    try:
        return WebhookEvent(value) if isinstance(value, str) else value
    except ValueError:
        raise NotOneOf(WebhookEvent) from None


EventName = Annotated[WebhookEvent, BeforeValidator(_kind)]
EndpointUrl = Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")]


class NewWebhook(Body):
    """The body of POST /webhooks. A repeated event counts once."""

    url: EndpointUrl
    """HTTPS, on a public internet address, without credentials in it."""
    events: Annotated[list[EventName], schema_hint(minItems=1)]
    """The kinds of event to send. A repeated kind counts once."""


class WebhookUpdate(Body):
    """The body of PATCH /webhooks/{id}. Fields that are left out stay as they are."""

    url: EndpointUrl | None = None
    """The new address. It also applies to retries that are already queued."""
    events: Annotated[list[EventName], schema_hint(minItems=1)] | None = None
    """Replaces the old list."""


class WebhookCreated(Answer):
    """The response of POST /webhooks."""

    id: str


class Webhook(Answer):
    """An endpoint in a list; times in ms (Specification: States, Webhook endpoint delivery status).

    `status` is none until the first delivery, failing while the latest attempt failed, delivered otherwise.
    `keyId` is the key that deliveries are signed with, null after that key was revoked.
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
    """When the endpoint began to fail; null if it is not failing."""
    key_id: str | None
    """The key that deliveries are signed with; null after it was revoked."""
    secret_created_at: Milliseconds | None
    """When the endpoint's own secret for the Standard Webhooks form was created; null if it has none."""


class UnreadableWebhook(Answer):
    """An endpoint that the running version of the service cannot read, such as one from a newer version."""

    id: str


class WebhooksAnswer(Answer):
    """GET /webhooks, in the order in which they were added."""

    webhooks: list[Webhook]
    unreadable: list[UnreadableWebhook]
    """Endpoints that exist but cannot be read. They receive nothing until the operator repairs them; you can remove
    them. Empty as a rule."""


class TestSent(Answer):
    """The response of POST /webhooks/{id}/test: the ID of the event that is sent."""

    id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]


class SecretCreated(Answer):
    """The response of POST /webhooks/{id}/secret. The secret is shown only once."""

    secret: Annotated[
        str,
        schema_hint(pattern="^whsec_[A-Za-z0-9+/]{43}=$"),
        OneTimeSecret("Rotate again with a new Idempotency-Key. This secret keeps signing for 24 hours."),
    ]
    """The endpoint's own secret, in the form that Standard Webhooks libraries accept."""


def _kinds(value: str) -> str:
    for kind in value.split(","):
        if kind not in set(WebhookEvent):
            raise ValueError(f"must be event names separated by commas: {', '.join(WebhookEvent)}")
    return value


class EventsQuery(PageQuery):
    """The parameters of GET /events."""

    types: Annotated[str, AfterValidator(_kinds)] | None = None
    """Only events of these kinds, separated by commas, such as `message.created,conversation.created`."""
    start: Annotated[Instant | None, Field(alias="from")] = None
    """Where to begin, in milliseconds since 1970. Ignored with a `cursor`."""


class FeedEvent(Answer):
    """An event as it was sent to endpoints; `data` depends on `type`, as in its webhook."""

    id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]
    type: WebhookEvent
    created_at: Milliseconds
    data: dict[str, Any]


class EventsAnswer(Answer):
    """GET /events, oldest first."""

    events: list[FeedEvent]
    next_cursor: str
    """Store it. Sent as `cursor`, now or later, it returns the events that follow."""
    has_more: bool
    """Whether more events follow now. With `types`, a page can be empty and not the last one."""
