"""Keys of the items of tool endpoints and tools.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Tool(ItemKey):
    """A tool: what its manifest declares, and what the organization set; its presence claims the name."""

    PK, SK = "ORG#{organization}#TOOLS", "TOOL#{name}"
    organization: str
    name: str


class RunningTools(ItemKey):
    """The tools that run in a conversation, each until an instant at the latest; expires by itself."""

    PK, SK = "ORG#{organization}#TOOLRUNS#{conversation_id}", "RUNNING"
    organization: str
    conversation_id: str
