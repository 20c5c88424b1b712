"""/v1/integrations: the services that an organization is connected to."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.http.schemas import OK, Ok
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import (
    ChatcommunityNotConnected,
    ChatmirrorNotConnected,
    CodehostNotConnected,
    IntegrationNotFound,
    TrackerNotConnected,
)
from helpdesk.integrations.schemas import IntegrationsAnswer, RemoveQuery
from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/integrations", access=Access.MEMBER)
def list_integrations(caller: Caller) -> IntegrationsAnswer:
    """List the services, and which accounts are connected. Connecting one takes a browser: /v1/connect/{app}."""
    return integrations.listed(caller.organization)


@api.delete(
    "/v1/integrations/<app>",
    access=Access.ADMIN,
    errors=(
        IntegrationNotFound,
        CodehostNotConnected,
        ChatmirrorNotConnected,
        ChatcommunityNotConnected,
        TrackerNotConnected,
    ),
)
def remove_integration(caller: Caller, app: str, query: RemoveQuery) -> Ok:
    """Disconnect a service. Its tokens are deleted; what it brought stays."""
    name = integrations.app_named(app)
    integrations.remove(caller.organization, name, query.account, caller.actor)
    return OK


handler = api.handler
