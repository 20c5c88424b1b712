"""What goes in and out of the routes of tools and tool endpoints (Specification: Tool endpoints)."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, Query, schema_hint
from helpdesk.customers.record import MAX_EXTERNAL_ID_CHARACTERS
from helpdesk.outbound.errors import MAX_URL_CHARACTERS
from helpdesk.tools.errors import MAX_OFFERED_BYTES, MAX_OFFERED_TOOLS, MAX_TOOLS
from helpdesk.tools.record import ChangeKind, Risk, SyncStatus

MAX_LISTED_TOOLS = 50
"""How many tools a page has at most: a page of tools with the largest schemas still fits a response."""

EndpointUrl = Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")]


class ToolEndpointInput(Body):
    """The body of PUT /tool-endpoints."""

    url: EndpointUrl
    """HTTPS, on a public internet address, without credentials in it. A connected URL is synced again."""


class ToolEndpointUpdate(Body):
    """The body of PATCH /tool-endpoints/{id}."""

    url: EndpointUrl
    """The new URL, with the rules of PUT. Its manifest is read at once; the endpoint's present URL is read again."""


class ToolEndpointSaved(Answer):
    """The response of PUT /tool-endpoints and PATCH /tool-endpoints/{id}.

    The sync has been scheduled; its result is in GET /tool-endpoints.
    """

    ok: bool
    id: str


class SyncQuery(Query):
    """The parameters of POST /tool-endpoints/sync."""

    url: str | None = None
    """The exact URL of the endpoint. Required if several are connected."""


class SyncsScheduled(Answer):
    """The response of POST /tools/sync."""

    ok: bool
    endpoints: int
    """The number of syncs that were scheduled, one for each endpoint."""


class ToolChangeAnswer(Answer):
    """A difference that the latest sync found."""

    id: str | None
    """Set while the change waits for an admin; send it to POST /tool-endpoints/{id}/changes/accept. Until then the
    tool stays as it was. GET /tools shows the whole change in the tool's `waiting`."""
    tool: str
    kind: ChangeKind
    fields: list[str]
    """The fields of the manifest that differ, such as `inputSchema`; empty for a tool that was added or removed."""


class ToolEndpointAnswer(Answer):
    """A tool endpoint and the result of its latest sync."""

    id: str
    url: str
    status: SyncStatus
    """`pending` until the sync that was asked for last has ended."""
    problem: str | None
    """Why the latest sync failed. The tools are then as they were before it."""
    tools: list[str]
    """The names of the tools that the latest successful sync found."""
    changes: list[ToolChangeAnswer]
    """What the latest successful sync found different."""
    last_sync_at: Milliseconds | None
    """When a sync last ended; null before the first."""
    key_id: str | None
    """The key whose secret signs the calls; null after it was revoked."""


class UnreadableToolEndpoint(Answer):
    """An endpoint that the running version of the service cannot read, such as one from a newer version."""

    id: str


class ToolEndpointsAnswer(Answer):
    """GET /tool-endpoints, in the order in which they were added."""

    tool_endpoints: list[ToolEndpointAnswer]
    unreadable: list[UnreadableToolEndpoint]
    """Endpoints that exist but cannot be read. Send the PUT again with the URL of one to store it again, or remove it.
    Empty as a rule."""


class ToolDeclaration(Answer):
    """What a manifest declares of a tool."""

    title: str | None
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    risk: Risk
    requires_identity: bool


class ToolAnswer(Answer):
    """A tool that the agent may call, or that waits for an admin."""

    name: str
    title: str | None
    """The name for people."""
    description: str
    """What the tool does, as the model reads it."""
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    risk: Risk
    """The effective risk: the higher of the declared one and the one that the organization set."""
    declared_risk: Risk
    requires_identity: bool
    """Whether it is only called for a visitor whose identity is known."""
    enabled: bool
    in_force: bool
    """False for a tool that the manifest added and that no admin has accepted yet. The agent can't call it. A tool that
    was dropped before shows what was in force, and a new one the same as `waiting`."""
    offered: Annotated[
        bool,
        schema_hint(
            description="Whether the agent's model is offered it. False for an enabled tool, too, if the tools before "
            f"it leave no room: a request has at most {MAX_OFFERED_TOOLS} tools and {MAX_OFFERED_BYTES // 1024} KB of "
            "them."
        ),
    ]
    endpoint_id: str
    change_id: str | None
    """The change that waits for an admin, as in the endpoint's `changes`; null if none does."""
    waiting: ToolDeclaration | None
    """What comes into force if an admin accepts that change; null if none waits."""


class ToolsQuery(PageQuery):
    """The parameters of GET /tools."""

    max_limit: ClassVar[int] = MAX_LISTED_TOOLS


class ToolsAnswer(Answer):
    """GET /tools, by name."""

    tools: list[ToolAnswer]
    next_cursor: str | None
    """Send it as `cursor` for more tools; null at the end."""


class ToolUpdate(Body):
    """The body of PATCH /tools/{name}. Fields that are left out stay as they are."""

    enabled: bool | None = None
    """Whether the agent may call the tool."""
    risk: Annotated[str | None, schema_hint(enum=[risk.value for risk in Risk])] = None
    """The risk that applies, at least the declared one. The declared one takes back what the organization set."""


class AcceptedChanges(Body):
    """The body of POST /tool-endpoints/{id}/changes/accept."""

    changes: Annotated[list[str], schema_hint(minItems=1, maxItems=MAX_TOOLS)]
    """The IDs of the changes, as GET /tool-endpoints shows them. All of them are put in force, or none."""


class ToolTestInput(Body):
    """The body of POST /tools/{name}/test; it may be left out."""

    input: dict[str, Any] | None = None
    """The tool's input; an empty object if it is left out."""
    as_: Annotated[
        str | None, Field(alias="as"), schema_hint(minLength=1, maxLength=MAX_EXTERNAL_ID_CHARACTERS)
    ] = None
    """Your own ID of a customer, which the tool gets as `context.visitor.externalId`. Not with `conversationId`."""
    conversation_id: str | None = None
    """A conversation whose visitor the tool is called for. Nothing is added to it."""


class ToolTestResult(Answer):
    """The response of POST /tools/{name}/test (Specification: Tool test result)."""

    ok: bool
    """Whether the call succeeded. An explicit refusal of the tool is false, whatever its HTTP status."""
    result: str | None
    """The tool's return value as JSON; null when the call failed."""
    error: str | None
    """Why the call did not succeed; null if it did."""
    risk: Risk
    conversation_id: str
    """The conversation of the request, or an ID that begins with `test_` and belongs to none."""
