"""/v1/tool-endpoints and /v1/tools: the servers that declare tools, and the tools that the agent may call."""

from helpdesk.accounts.secret_keys.errors import MissingServiceKey
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.content import ClientInfo
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.idempotency import service as idempotency
from helpdesk.api.routing.api import Api
from helpdesk.conversations.errors import ConversationArchived, ConversationNotFound
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform.errors import Forbidden, InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.tools import endpoints
from helpdesk.tools import service as tools
from helpdesk.tools.errors import (
    ChangeNotFound,
    EndpointRequired,
    InvalidInput,
    LegacyApiKey,
    NoEndpoint,
    ToolEndpointNotFound,
    ToolNotFound,
    TooManyRunning,
    TooManyToolEndpoints,
)
from helpdesk.tools.schemas import (
    AcceptedChanges,
    SyncQuery,
    SyncsScheduled,
    ToolEndpointInput,
    ToolEndpointsAnswer,
    ToolEndpointSaved,
    ToolEndpointUpdate,
    ToolsAnswer,
    ToolsQuery,
    ToolTestInput,
    ToolTestResult,
    ToolUpdate,
)

NEEDS = declare("BASE_URL", "ALLOW_LOOPBACK_URLS")

api = Api()


@api.put(
    "/v1/tool-endpoints",
    access=Access.ADMIN,
    errors=(InvalidUrl, MissingServiceKey, TooManyToolEndpoints, LegacyApiKey),
)
def add_tool_endpoint(caller: Caller, wanted: ToolEndpointInput) -> ToolEndpointSaved:
    """Add a tool endpoint and start a sync. A URL that is connected already is synced again."""
    return ToolEndpointSaved(ok=True, id=endpoints.put(caller, wanted.url))


@api.patch(
    "/v1/tool-endpoints/<endpoint_id>",
    access=Access.ADMIN,
    errors=(ToolEndpointNotFound, InvalidUrl, MissingServiceKey, LegacyApiKey),
)
def move_tool_endpoint(caller: Caller, endpoint_id: str, wanted: ToolEndpointUpdate) -> ToolEndpointSaved:
    """Give a tool endpoint another URL and start a sync. Its tools and your settings of them stay."""
    endpoints.move(caller, endpoint_id, wanted.url)
    return ToolEndpointSaved(ok=True, id=endpoint_id)


@api.get("/v1/tool-endpoints", access=Access.ADMIN)
def list_tool_endpoints(caller: Caller) -> ToolEndpointsAnswer:
    """List tool endpoints with the results of their latest syncs."""
    return endpoints.listed(caller.organization)


@api.post(
    "/v1/tool-endpoints/sync",
    access=Access.ADMIN,
    status=202,
    errors=(NoEndpoint, EndpointRequired, ToolEndpointNotFound),
)
def sync_tool_endpoint(caller: Caller, query: SyncQuery) -> Ok:
    """Schedule a sync of one endpoint's manifest."""
    endpoints.sync(caller, query.url)
    return OK


@api.post(
    "/v1/tool-endpoints/<endpoint_id>/changes/accept",
    access=Access.ADMIN,
    errors=(ToolEndpointNotFound, ChangeNotFound),
)
def accept_tool_changes(caller: Caller, endpoint_id: str, wanted: AcceptedChanges) -> Ok:
    """Accept changes of a manifest that wait for an admin.

    A lower risk waits, and another schema of a tool that runs without a person's approval. Once one of the endpoint's
    tools is protected, so do new names, and changed titles, descriptions and input schemas.
    """
    endpoints.accept_changes(caller, endpoint_id, wanted.changes)
    return OK


@api.delete("/v1/tool-endpoints/<endpoint_id>", access=Access.ADMIN, errors=(ToolEndpointNotFound,))
def remove_tool_endpoint(caller: Caller, endpoint_id: str) -> Ok:
    """Remove a tool endpoint and its tools. Calls that wait for an approval expire.

    A raised risk and a switched-off tool are kept by the tool's name, and apply again once an endpoint declares it.
    """
    endpoints.remove(caller, endpoint_id)
    return OK


@api.get("/v1/tools", access=Access.MEMBER, errors=(InvalidCursor,))
def list_tools(caller: Caller, query: ToolsQuery) -> ToolsAnswer:
    """List the tools that the connected endpoints declare, by name.

    A tool that waits for an admin as a whole is listed with `inForce` false.
    """
    return tools.listed(caller, query)


@api.post("/v1/tools/sync", access=Access.ADMIN, status=202)
def sync_tools(caller: Caller) -> SyncsScheduled:
    """Schedule a sync of every endpoint's manifest: all of them, or none if the limit does not allow it."""
    return SyncsScheduled(ok=True, endpoints=endpoints.sync_all(caller))


@api.patch("/v1/tools/<name>", access=Access.ADMIN, errors=(ToolNotFound,))
def update_tool(caller: Caller, name: str, wanted: ToolUpdate) -> Ok:
    """Let the agent call a tool or not, or raise its risk above the declared one."""
    tools.update(caller, name, wanted)
    return OK


@api.post(
    "/v1/tools/<name>/test",
    access=Access.MEMBER,
    errors=(
        Forbidden,
        ToolNotFound,
        InvalidInput,
        ConversationNotFound,
        ConversationArchived,
        TooManyRunning,
    ),
)
def test_tool(caller: Caller, name: str, wanted: ToolTestInput, client_info: ClientInfo) -> ToolTestResult:
    """Call a tool once and return its answer.

    The call reaches your server, signed as the agent's calls are, with `context.test` set. Nothing is added to the
    inbox, and the log names who made the test. A tool of the risk `reviewed` or `high` needs an admin, an owner or a
    key, and one that is switched off is refused.
    """
    return tools.test(caller, name, wanted, idempotency.key_in(client_info.headers))


handler = api.handler
