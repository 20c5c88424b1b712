"""Tools as the API shows them."""

from helpdesk.tools.record import Tool, higher
from helpdesk.tools.schemas import ToolAnswer


def tool_shape(tool: Tool, *, offered: bool) -> ToolAnswer:
    """Return a tool as GET /tools shows it: as it is or was in force, or a new one as it would be."""
    is_new = tool.withdrawn and not tool.is_protected
    shown = tool.waiting if is_new and tool.waiting else tool.declared
    return ToolAnswer.from_record(
        shown,
        risk=higher(shown.risk, tool.raised_risk),
        declared_risk=shown.risk,
        enabled=tool.enabled,
        in_force=not tool.withdrawn,
        offered=offered,
        endpoint_id=tool.endpoint_id,
        change_id=tool.waiting_id,
        waiting=tool.waiting,
    )
