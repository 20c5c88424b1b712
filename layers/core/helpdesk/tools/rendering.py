"""Tools and tool endpoints as the API shows them."""

from helpdesk.tools.record import Tool, ToolEndpoint
from helpdesk.tools.schemas import ToolAnswer, ToolChangeAnswer, ToolEndpointAnswer


def endpoint_shape(endpoint: ToolEndpoint) -> ToolEndpointAnswer:
    """Return a tool endpoint as GET /tool-endpoints shows it."""
    return ToolEndpointAnswer(
        id=endpoint.id,
        url=endpoint.url,
        status=endpoint.status,
        problem=endpoint.problem,
        tools=list(endpoint.tools),
        changes=[
            ToolChangeAnswer(id=change.id, tool=change.tool, kind=change.kind, fields=list(change.fields))
            for change in endpoint.changes
        ],
        last_sync_at=endpoint.last_sync_at,
        key_id=endpoint.key_id,
    )


def tool_shape(tool: Tool, *, offered: bool) -> ToolAnswer:
    """Return a tool as GET /tools shows it."""
    return ToolAnswer(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        risk=tool.risk,
        declared_risk=tool.declared.risk,
        requires_identity=tool.requires_identity,
        enabled=tool.enabled,
        offered=offered,
        endpoint_id=tool.endpoint_id,
        change_id=tool.waiting_id,
    )
