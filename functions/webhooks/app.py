"""/v1/webhooks and /v1/events: where the organization's servers listen, and what they were told."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.delivery import history
from helpdesk.delivery.errors import DeliveryInProgress, DeliveryNotFound, InvalidUrl
from helpdesk.delivery.schemas import DeliveriesAnswer
from helpdesk.http.pages import next_cursor, position
from helpdesk.http.schemas import OK, Ok, PageQuery
from helpdesk.platform.errors import InvalidCursor
from helpdesk.routing.api import Api
from helpdesk.secret_keys.errors import MissingServiceKey
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.errors import EndpointNotFound, NoEvents, TooManyEndpoints
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

api = Api()


@api.post(
    "/v1/webhooks", access=Access.ADMIN, errors=(NoEvents, InvalidUrl, MissingServiceKey, TooManyEndpoints)
)
def create_webhook(caller: Caller, new: NewWebhook) -> WebhookCreated:
    """Add a webhook endpoint; its deliveries are signed with a secret derived from a secret key."""
    return WebhookCreated(id=webhooks.create(caller, new))


@api.get("/v1/webhooks", access=Access.ADMIN)
def list_webhooks(caller: Caller) -> WebhooksAnswer:
    """List the webhook endpoints with the state of their deliveries."""
    return WebhooksAnswer(webhooks=webhooks.listed(caller.organization))


@api.patch("/v1/webhooks/<endpoint_id>", access=Access.ADMIN, errors=(EndpointNotFound, NoEvents, InvalidUrl))
def update_webhook(caller: Caller, endpoint_id: str, change: WebhookUpdate) -> Ok:
    """Change an endpoint's address or events; retries already queued follow the new address."""
    webhooks.update(caller, endpoint_id, change)
    return OK


@api.delete("/v1/webhooks/<endpoint_id>", access=Access.ADMIN, errors=(EndpointNotFound,))
def remove_webhook(caller: Caller, endpoint_id: str) -> Ok:
    """Remove an endpoint and cancel the retries still queued for it."""
    webhooks.remove(caller, endpoint_id)
    return OK


@api.get(
    "/v1/webhooks/<endpoint_id>/deliveries", access=Access.ADMIN, errors=(InvalidCursor, EndpointNotFound)
)
def list_deliveries(caller: Caller, endpoint_id: str, query: PageQuery) -> DeliveriesAnswer:
    """List an endpoint's deliveries; those of the last 30 days with every attempt, newest event first."""
    name = f"deliveries {endpoint_id}"
    before = position(caller, query, name)
    deliveries, end = history.newest(caller.organization, endpoint_id, query.limit, before)
    return DeliveriesAnswer(deliveries=deliveries, next_cursor=next_cursor(caller, end, name))


@api.post(
    "/v1/webhooks/<endpoint_id>/deliveries/<event_id>/redeliver",
    access=Access.ADMIN,
    errors=(EndpointNotFound, DeliveryNotFound, DeliveryInProgress),
)
def redeliver(caller: Caller, endpoint_id: str, event_id: str) -> Ok:
    """Send an event to an endpoint once more, at once and with five attempts; the body is what it was."""
    history.redeliver(caller.organization, endpoint_id, event_id)
    return OK


@api.post("/v1/webhooks/<endpoint_id>/test", access=Access.ADMIN, errors=(EndpointNotFound,))
def test_webhook(caller: Caller, endpoint_id: str) -> TestSent:
    """Send the event `webhook.test` to one endpoint, whatever it listens to."""
    return TestSent(id=webhooks.send_test(caller, endpoint_id))


@api.post("/v1/webhooks/<endpoint_id>/secret", access=Access.ADMIN, errors=(EndpointNotFound,))
def create_secret(caller: Caller, endpoint_id: str) -> SecretCreated:
    """Make or rotate an endpoint's own secret.

    Deliveries are then signed in the form of Standard Webhooks too. The secret before signs on for 24 hours, beside
    the new one.
    """
    return SecretCreated(secret=webhooks.make_secret(caller, endpoint_id))


@api.delete("/v1/webhooks/<endpoint_id>/secret", access=Access.ADMIN, errors=(EndpointNotFound,))
def remove_secret(caller: Caller, endpoint_id: str) -> Ok:
    """Remove an endpoint's own secrets; the signature by its key stays."""
    webhooks.remove_secret(caller, endpoint_id)
    return OK


@api.get("/v1/events", access=Access.ADMIN, errors=(InvalidCursor,))
def list_events(caller: Caller, query: EventsQuery) -> EventsAnswer:
    """List the events of the last 30 days, oldest first.

    For a receiver that was down. The cursor can be kept: it always gives what follows, nothing twice and nothing left
    out. Events of the last 20 seconds are held back until they are settled.
    """
    return webhooks.events_after(caller, query)


handler = api.handler
