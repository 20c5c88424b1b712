"""Errors and limits of tools and tool endpoints (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import AppError

MAX_TOOL_ENDPOINTS = 10
MAX_TOOLS = 64
"""How many tools a manifest may declare."""
MAX_WITHDRAWN_TOOLS = 128
"""How many protected tools that an endpoint's manifests dropped are remembered. A sync that drops more is refused."""
MAX_RUNNING_TOOLS = 3
MAX_MANIFEST_BYTES = 512 * 1024
MAX_RESULT_BYTES = 256 * 1024
CALL_SECONDS = 15.0
"""The time limit of reading a manifest and of calling a tool, from the name's lookup to the last byte."""


class TooManyToolEndpoints(AppError):
    """The organization already has the maximum number of tool endpoints."""

    status, code = 400, "too_many_tool_endpoints"
    message = f"Remove one of the {MAX_TOOL_ENDPOINTS} tool endpoints first."


class LegacyApiKey(AppError):
    """The calling key is from before the current scheme, so no signing secret can be derived from it."""

    status, code = 400, "legacy_api_key"
    message = (
        "This secret key is from before the current scheme and cannot sign calls. Create a new key and call this route "
        "with it."
    )


class NoEndpoint(AppError):
    """The organization has no tool endpoint to sync."""

    status, code = 400, "no_endpoint"
    message = "No tool endpoint is connected. Add one with PUT /v1/tool-endpoints."


class EndpointRequired(AppError):
    """Several tool endpoints are connected, and the request names none."""

    status, code = 400, "endpoint_required"
    message = (
        "Several tool endpoints are connected. Name one with the query parameter `url`, or sync all of them with "
        "POST /v1/tools/sync."
    )


class ToolEndpointNotFound(AppError):
    """The organization has no such tool endpoint."""

    status, code = 404, "endpoint_not_found"
    message = (
        "No tool endpoint has this ID or URL in your organization. List them with GET /v1/tool-endpoints."
    )


class ToolNotFound(AppError):
    """The organization has no such tool."""

    status, code = 404, "tool_not_found"
    message = "No tool has this name in your organization. List them with GET /v1/tools."


class ChangeNotFound(AppError):
    """No change with this ID waits at the endpoint: it was accepted, or a later sync found something else."""

    status, code = 404, "change_not_found"
    message = "No change with this ID waits any more. Read the present ones with GET /v1/tool-endpoints."


class InvalidInput(AppError):
    """The input does not fit the tool's schema; the message says where."""

    status, code = 400, "invalid_input"
    message = "Send an `input` that fits the tool's `inputSchema`."


class TooManyRunning(AppError):
    """Three tools already run in the conversation."""

    status, code = 400, "too_many_running"
    message = f"Wait until a tool has ended: {MAX_RUNNING_TOOLS} already run in this conversation."
