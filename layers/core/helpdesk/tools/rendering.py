"""Tools and tool endpoints as the API shows them."""

from helpdesk.tools.record import Declaration, Tool, ToolEndpoint, higher
from helpdesk.tools.schemas import ToolAnswer, ToolChangeAnswer, ToolDeclaration, ToolEndpointAnswer


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
    """Return a tool as GET /tools shows it: as it is or was in force, or a new one as it would be."""
    is_new = tool.withdrawn and not tool.is_protected
    shown = tool.waiting if is_new and tool.waiting else tool.declared
    return ToolAnswer(
        name=tool.name,
        title=shown.title,
        description=shown.description,
        input_schema=shown.input_schema,
        output_schema=shown.output_schema,
        risk=higher(shown.risk, tool.raised_risk),
        declared_risk=shown.risk,
        requires_identity=shown.requires_identity,
        enabled=tool.enabled,
        in_force=not tool.withdrawn,
        offered=offered,
        endpoint_id=tool.endpoint_id,
        change_id=tool.waiting_id,
        waiting=None if tool.waiting is None else _declaration(tool.waiting),
    )


def _declaration(declared: Declaration) -> ToolDeclaration:
    return ToolDeclaration(
        title=declared.title,
        description=declared.description,
        input_schema=declared.input_schema,
        output_schema=declared.output_schema,
        risk=declared.risk,
        requires_identity=declared.requires_identity,
    )
