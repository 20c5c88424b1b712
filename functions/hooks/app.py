"""/v1/hooks: webhooks of connected services, signed with the secrets of their apps."""

import json

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access
from helpdesk.api.http.content import ClientInfo, RawBody, RawJson
from helpdesk.api.routing.api import Api
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import hooks
from helpdesk.integrations.adapter import Hook, Receiver
from helpdesk.integrations.discord import receiver as discord
from helpdesk.integrations.errors import HookTooLarge, IntegrationNotFound, InvalidSignature
from helpdesk.integrations.github import receiver as github
from helpdesk.integrations.linear import receiver as linear
from helpdesk.integrations.slack import receiver as slack
from helpdesk.platform.errors import InvalidJson, InvalidRequest
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

RECEIVERS: dict[App, Receiver] = {
    App.GITHUB: github,
    App.SLACK: slack,
    App.DISCORD: discord,
    App.LINEAR: linear,
}
"""The adapters, each with a module of these functions."""

api = Api()


@api.post(
    "/v1/hooks/<app>",
    access=Access.PUBLIC,
    limit=AddressLimit.SIGNED,
    errors=(IntegrationNotFound, HookTooLarge, InvalidSignature, InvalidJson, InvalidRequest),
)
def take_hook(client_info: ClientInfo, app: str, body: RawBody) -> RawJson:
    """Receive a webhook from a connected service. The work is queued; a repeated request does nothing."""
    received = hooks.receive(app, Hook(client_info.headers, body.content), RECEIVERS)
    return RawJson(json.dumps({"ok": True} if received.answer is None else dict(received.answer)))


handler = api.handler
