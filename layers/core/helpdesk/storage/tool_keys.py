"""Keys of the items of tool endpoints and tools.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class ToolEndpoint(ItemKey):
    """A tool endpoint: address, signing key, and the state and result of its latest sync."""

    PK, SK = "ORG#{organization}#TOOLS", "ENDPOINT#{endpoint_id}"
    organization: str
    endpoint_id: str


class ToolEndpointUrl(ItemKey):
    """The tool endpoint that has an address, by the address's hash; its presence makes that endpoint the only one."""

    PK, SK = "ORG#{organization}#TOOLS", "URL#{url_hash}"
    organization: str
    url_hash: str


class ToolEndpointCount(ItemKey):
    """How many tool endpoints there are, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#TOOLS", "COUNT"
    organization: str


class Tool(ItemKey):
    """A tool: what its manifest declares, and what the organization set; its presence claims the name."""

    PK, SK = "ORG#{organization}#TOOLS", "TOOL#{name}"
    organization: str
    name: str


class ToolTest(ItemKey):
    """A test of a tool, for analytics, which reads it in the stream; expires by itself."""

    PK, SK = "ORG#{organization}#TOOLTESTS", "TEST#{test_id}"
    organization: str
    test_id: str


class RunningTools(ItemKey):
    """The tools that run in a conversation, each until an instant at the latest; expires by itself."""

    PK, SK = "ORG#{organization}#TOOLRUNS#{conversation_id}", "RUNNING"
    organization: str
    conversation_id: str
