"""/v1/webhooks and /v1/events: webhook endpoints, their deliveries and the event feed."""

from helpdesk.accounts.secret_keys.errors import MissingServiceKey
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import OK, Ok, PageQuery
from helpdesk.api.routing.api import Api
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import service as deliveries
from helpdesk.webhooks.delivery.schemas import DeliveriesAnswer
from helpdesk.webhooks.errors import (
    DeliveryInProgress,
    DeliveryNotFound,
    EndpointNotFound,
    NoEvents,
    TooManyEndpoints,
)
from helpdesk.webhooks.schemas import (
    EventsAnswer,
    EventsQuery,
    NewWebhook,
    SecretCreated,
    TestSent,
    WebhookCreated,
    WebhooksAnswer,
    WebhookUpdate,
)

NEEDS = declare("BASE_URL", "RETRY_DELAYS_SECONDS", "ALLOW_LOOPBACK_URLS")

api = Api()


@api.post(
    "/v1/webhooks", access=Access.ADMIN, errors=(NoEvents, InvalidUrl, MissingServiceKey, TooManyEndpoints)
)
def create_webhook(caller: Caller, new: NewWebhook) -> WebhookCreated:
    """Create a webhook endpoint. Deliveries are signed with a secret derived from a secret key."""
    return WebhookCreated(id=webhooks.create(caller, new))


@api.get("/v1/webhooks", access=Access.ADMIN)
def list_webhooks(caller: Caller) -> WebhooksAnswer:
    """List webhook endpoints with the state of their deliveries."""
    return webhooks.listed(caller.organization)


@api.patch("/v1/webhooks/<endpoint_id>", access=Access.ADMIN, errors=(EndpointNotFound, NoEvents, InvalidUrl))
def update_webhook(caller: Caller, endpoint_id: str, change: WebhookUpdate) -> Ok:
    """Update a webhook endpoint's address or events. Retries already queued use the new address."""
    webhooks.update(caller, endpoint_id, change)
    return OK


@api.delete("/v1/webhooks/<endpoint_id>", access=Access.ADMIN, errors=(EndpointNotFound,))
def remove_webhook(caller: Caller, endpoint_id: str) -> Ok:
    """Remove a webhook endpoint. Retries still queued for it are canceled."""
    webhooks.remove(caller, endpoint_id)
    return OK


@api.get(
    "/v1/webhooks/<endpoint_id>/deliveries", access=Access.ADMIN, errors=(InvalidCursor, EndpointNotFound)
)
def list_deliveries(caller: Caller, endpoint_id: str, query: PageQuery) -> DeliveriesAnswer:
    """List an endpoint's deliveries of the last 30 days, newest event first."""
    name = f"deliveries {endpoint_id}"
    before = position(caller, query, name)
    shown, end = deliveries.newest(caller.organization, endpoint_id, query.limit, before)
    return DeliveriesAnswer(deliveries=shown, next_cursor=next_cursor(caller, end, name))


@api.post(
    "/v1/webhooks/<endpoint_id>/deliveries/<event_id>/redeliver",
    access=Access.ADMIN,
    errors=(EndpointNotFound, DeliveryNotFound, DeliveryInProgress),
)
def redeliver(caller: Caller, endpoint_id: str, event_id: str) -> Ok:
    """Redeliver an event. The same body is sent at once, with up to five attempts."""
    deliveries.redeliver(caller.organization, endpoint_id, event_id)
    return OK


@api.post("/v1/webhooks/<endpoint_id>/test", access=Access.ADMIN, errors=(EndpointNotFound,))
def test_webhook(caller: Caller, endpoint_id: str) -> TestSent:
    """Send a test event (`webhook.test`) to one endpoint. It need not subscribe to it."""
    return TestSent(id=webhooks.send_test(caller, endpoint_id))


@api.post("/v1/webhooks/<endpoint_id>/secret", access=Access.ADMIN, errors=(EndpointNotFound,))
def create_secret(caller: Caller, endpoint_id: str) -> SecretCreated:
    """Create or rotate an endpoint's own signing secret.

    Deliveries are then also signed as Standard Webhooks defines. For 24 hours they are signed with the previous secret
    as well as the new one.
    """
    return SecretCreated(secret=webhooks.make_secret(caller, endpoint_id))


@api.delete("/v1/webhooks/<endpoint_id>/secret", access=Access.ADMIN, errors=(EndpointNotFound,))
def remove_secret(caller: Caller, endpoint_id: str) -> Ok:
    """Remove an endpoint's own signing secrets. The signature made with the secret key stays."""
    webhooks.remove_secret(caller, endpoint_id)
    return OK


@api.get("/v1/events", access=Access.ADMIN, errors=(InvalidCursor,))
def list_events(caller: Caller, query: EventsQuery) -> EventsAnswer:
    """List events of the last 30 days, oldest first.

    Use it to catch up after a receiver was down. You can keep the cursor: it always returns the events that follow,
    without gaps or repeats. Events of the last 20 seconds are held back until their order is final.
    """
    return webhooks.events_after(caller, query)


handler = api.handler
