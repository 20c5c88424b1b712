"""Which enabled tools the agent's model is offered: as many as fit into one request.

Ten endpoints can declare 640 tools with 20 MB of schemas. No model takes that, every turn would pay for it, and a model
chooses worse among more tools.
"""

from collections.abc import Sequence

from helpdesk.tools.json_text import canonical
from helpdesk.tools.record import Tool, ToolEndpoint

MAX_OFFERED_TOOLS = 128
MAX_OFFERED_BYTES = 64 * 1024
"""How many tools a request of the model has, and how large their names, titles, descriptions and schemas are together.

They are about 20,000 tokens, a third of what one message may use.
"""


def offered(endpoints: Sequence[ToolEndpoint], tools: Sequence[Tool]) -> list[Tool]:
    """Return the enabled tools that the model is offered, by name.

    Those of the endpoint that was added first come first, an endpoint's own by name, and one that does not fit is left
    out. So a new endpoint never takes the place of what was offered before.
    """
    order = {endpoint.id: number for number, endpoint in enumerate(endpoints)}
    candidates = [tool for tool in tools if tool.enabled and not tool.withdrawn]
    candidates.sort(key=lambda tool: (order.get(tool.endpoint_id, len(order)), tool.name))
    found: list[Tool] = []
    room = MAX_OFFERED_BYTES
    for tool in candidates:
        size = _size(tool)
        if len(found) < MAX_OFFERED_TOOLS and size <= room:
            found.append(tool)
            room -= size
    return sorted(found, key=lambda tool: tool.name)


def _size(tool: Tool) -> int:
    return len(canonical([tool.name, tool.title, tool.description, tool.input_schema]).encode())
