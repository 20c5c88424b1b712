"""Errors and limits of tools and tool endpoints (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_TOOL_ENDPOINTS = 10
MAX_TOOLS = 64
"""How many tools a manifest may declare."""
MAX_WITHDRAWN_TOOLS = 128
"""How many protected tools that an endpoint's manifests dropped are remembered. A sync that drops more is refused."""
MAX_OFFERED_TOOLS = 128
MAX_OFFERED_BYTES = 64 * 1024
"""How many tools a request of the model has, and how large their names, titles, descriptions and schemas are together.

They are about 20,000 tokens, a third of what one message may use.
"""
MAX_RUNNING_TOOLS = 3
MAX_MANIFEST_BYTES = 512 * 1024
MAX_RESULT_BYTES = 256 * 1024
CALL_SECONDS = 15.0
"""The time limit of reading a manifest and of calling a tool, from the name's lookup to the last byte."""


class TooManyToolEndpoints(BadRequestError):
    code = "too_many_tool_endpoints"
    message = f"An organization can have at most {MAX_TOOL_ENDPOINTS} tool endpoints. Delete one first."


class LegacyApiKey(BadRequestError):
    """The calling key is from before the current scheme, so no signing secret can be derived from it."""

    code = "legacy_api_key"
    message = (
        "This secret key is from before the current scheme and can't sign calls. Create a new key and call this route "
        "with it."
    )


class NoEndpoint(BadRequestError):
    code = "no_endpoint"
    message = "No tool endpoint is connected. Add one with PUT /v1/tool-endpoints."


class EndpointRequired(BadRequestError):
    code = "endpoint_required"
    message = (
        "Several tool endpoints are connected. Name one with the query parameter `url`, or sync all of them with "
        "POST /v1/tools/sync."
    )


class ToolEndpointNotFound(NotFoundError):
    code = "endpoint_not_found"
    message = "No tool endpoint has this ID or URL in your organization. GET /v1/tool-endpoints lists them."


class ToolNotFound(NotFoundError):
    code = "tool_not_found"
    message = "No tool has this name in your organization. GET /v1/tools lists them."


class ChangeNotFound(NotFoundError):
    """The endpoint has no such pending change: it was accepted, or a later sync replaced it."""

    code = "change_not_found"
    message = "No pending change has this ID. GET /v1/tool-endpoints lists the pending changes."


class InvalidInput(BadRequestError):
    """The input does not match the tool's schema; the message says where."""

    code = "invalid_input"
    message = "`input` must match the tool's `inputSchema`."


class TooManyRunning(BadRequestError):
    code = "too_many_running"
    message = (
        f"A conversation can run at most {MAX_RUNNING_TOOLS} tools at a time. Wait until one has finished."
    )
