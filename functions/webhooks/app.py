"""/v1/webhooks: where the organization's servers listen."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.delivery.errors import InvalidUrl
from helpdesk.http.api import Api
from helpdesk.http.schemas import OK, Ok
from helpdesk.secret_keys.errors import MissingServiceKey
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.errors import EndpointNotFound, NoEvents, TooManyEndpoints
from helpdesk.webhooks.schemas import NewWebhook, WebhookCreated, WebhooksAnswer, WebhookUpdate

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


handler = api.handler
