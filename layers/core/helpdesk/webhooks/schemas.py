"""What goes in and out of the webhook routes (Specification: Webhooks)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from helpdesk.events.kinds import WebhookEvent
from helpdesk.http.schemas import (
    Answer,
    Body,
    Milliseconds,
    OneTimeSecret,
    PageQuery,
    QueryInteger,
    schema_hint,
)
from helpdesk.outbound.errors import MAX_URL_CHARACTERS


def _kind(value: object) -> object:
    """Return the event kind that a name names; a strict model takes no text for an enumeration otherwise."""
    try:
        return WebhookEvent(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"must be one of {', '.join(WebhookEvent)}") from None


EventName = Annotated[WebhookEvent, BeforeValidator(_kind)]
EndpointUrl = Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")]


class NewWebhook(Body):
    """The body of POST /webhooks. An event named twice counts once."""

    url: EndpointUrl
    """HTTPS, on a public internet address, without credentials in it."""
    events: Annotated[list[EventName], schema_hint(minItems=1)]
    """The kinds of event to be sent; one named twice counts once."""


class WebhookUpdate(Body):
    """The body of PATCH /webhooks/{id}; what is left out stays as it is."""

    url: EndpointUrl | None = None
    """The new address; it also applies to retries that already wait."""
    events: Annotated[list[EventName], schema_hint(minItems=1)] | None = None
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
    secret_created_at: Milliseconds | None
    """When the endpoint's own secret for the Standard Webhooks form was made; null while it has none."""


class WebhooksAnswer(Answer):
    """GET /webhooks, in the order they were added."""

    webhooks: list[Webhook]


class TestSent(Answer):
    """The answer of POST /webhooks/{id}/test: the id of the event that is sent."""

    id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]


class SecretCreated(Answer):
    """The answer of POST /webhooks/{id}/secret. It is shown this once."""

    secret: Annotated[
        str,
        schema_hint(pattern="^whsec_[A-Za-z0-9+/]{43}=$"),
        OneTimeSecret("Make another with another Idempotency-Key; this one signs on beside it for 24 hours."),
    ]
    """The endpoint's own secret, in the form that Standard Webhooks libraries take."""


def _kinds(value: str) -> str:
    for kind in value.split(","):
        if kind not in set(WebhookEvent):
            raise ValueError(f"must be names of events with commas between: {', '.join(WebhookEvent)}")
    return value


def _instant(value: int) -> int:
    if value >= 2**48:
        raise ValueError("must be an instant in milliseconds since 1970")
    return value


class EventsQuery(PageQuery):
    """The parameters of GET /events."""

    types: Annotated[str, AfterValidator(_kinds)] | None = None
    """Only events of these kinds, with commas between, such as `message.created,conversation.created`."""
    start: Annotated[
        Annotated[
            QueryInteger, AfterValidator(_instant), schema_hint(format="int64", minimum=0, maximum=2**48 - 1)
        ]
        | None,
        Field(alias="from"),
    ] = None
    """Where to begin, in milliseconds since 1970; a `cursor` goes on where it was given out and passes this over."""


class FeedEvent(Answer):
    """An event as it was sent to the endpoints that listened; `data` is by `type`, as in its webhook."""

    id: Annotated[str, schema_hint(pattern="^evt_[0-9a-f]{32}$")]
    type: WebhookEvent
    created_at: Milliseconds
    data: dict[str, Any]


class EventsAnswer(Answer):
    """GET /events, oldest first."""

    events: list[FeedEvent]
    next_cursor: str
    """Keep it: sent as `cursor`, at once or any day, it gives the events that follow."""
    has_more: bool
    """Whether to go on at once. A page can be empty and not the last one where `types` are chosen."""
