"""Items of tool endpoints and tools: reads."""

from typing import NamedTuple

from helpdesk.platform import unreadable
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import keys, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item
from helpdesk.tools.errors import ToolNotFound
from helpdesk.tools.records import Tool, ToolEndpoint

_ENDPOINT, _TOOL = "ENDPOINT#", "TOOL#"


class Catalog(NamedTuple):
    """An organization's endpoints in the order of their creation, and its tools by name, the withdrawn ones too.

    A tool whose endpoint was removed is not among them, though its item may still exist (see `removal`).
    """

    endpoints: list[ToolEndpoint]
    tools: dict[str, Tool]


def catalog(organization: str) -> Catalog:
    """Return an organization's endpoints and tools. One query, which reads up to 1 MB in a call.

    An item that cannot be read is reported and left out: a tool that nobody can read is not called.
    """
    endpoints: dict[str, ToolEndpoint] = {}
    tools: dict[str, Tool] = {}
    known: set[str] = set()
    items = table.query_all(keys.ToolEndpointCount(organization).pk)
    for item in items:
        if item["SK"].startswith(_ENDPOINT):
            known.add(item["SK"].removeprefix(_ENDPOINT))
            try:
                endpoints[item["SK"]] = ToolEndpoint.from_item(organization, item)
            except UnreadableItem as error:
                _report(item, error)
    for item in items:
        if item["SK"].startswith(_TOOL):
            try:
                tool = Tool.from_item(item)
            except UnreadableItem as error:
                _report(item, error)
                continue
            if tool.endpoint_id in known:
                tools[tool.name] = tool
    return Catalog(list(endpoints.values()), tools)


def enabled(organization: str) -> list[Tool]:
    """Return the tools that the agent may call, by name."""
    tools = catalog(organization).tools.values()
    return sorted((tool for tool in tools if tool.enabled and not tool.withdrawn), key=lambda tool: tool.name)


def find(organization: str, name: str) -> Tool | None:
    """Return the tool with this name, enabled or not; None if no connected endpoint declares it. Two calls."""
    item = table.get(keys.Tool(organization, name))
    if item is None:
        return None
    try:
        tool = Tool.from_item(item)
    except UnreadableItem as error:
        _report(item, error)
        return None
    if tool.withdrawn or table.get(keys.ToolEndpoint(organization, tool.endpoint_id)) is None:
        return None
    return tool


def get(organization: str, name: str) -> Tool:
    """Return the tool with this name. Raises ToolNotFound."""
    tool = find(organization, name)
    if tool is None:
        raise ToolNotFound
    return tool


def endpoints(organization: str) -> list[ToolEndpoint]:
    """Return an organization's endpoints (ten at most) in the order of their creation."""
    found = []
    for item in table.query_all(keys.ToolEndpointCount(organization).pk, sk_prefix=_ENDPOINT):
        try:
            found.append(ToolEndpoint.from_item(organization, item))
        except UnreadableItem as error:
            _report(item, error)
    return found


def endpoint(organization: str, endpoint_id: str) -> ToolEndpoint | None:
    """Return an endpoint; None if there is none with this ID. Raises UnreadableItem."""
    item = table.get(keys.ToolEndpoint(organization, endpoint_id))
    return None if item is None else ToolEndpoint.from_item(organization, item)


def url_key(organization: str, url: str) -> keys.ToolEndpointUrl:
    """Return the key of the item that claims an address."""
    return keys.ToolEndpointUrl(organization, sha256_hex(url))


class Signed(NamedTuple):
    """An endpoint's address, and the secret that requests to it are signed with."""

    url: str
    secret: str


class SecretNotFound(Exception):
    """An endpoint exists without a secret to sign with, because its key is being revoked. A later try finds one."""


def signed(organization: str, endpoint_id: str) -> Signed | None:
    """Return where an endpoint is and what signs for it; None if it was removed. Two calls in the usual case.

    The random secret of an endpoint whose key was revoked comes first (Specification: Events, Which key signs). Only
    roles that call tools may read secrets. Raises SecretNotFound.
    """
    endpoint_key = keys.ToolEndpoint(organization, endpoint_id)
    own = keys.EndpointSecret(organization, endpoint_id)
    for _ in range(2):  # the key may be revoked between the two calls
        found = table.get_many([endpoint_key, own])
        if endpoint_key not in found:
            return None
        place = found[endpoint_key]
        secret: Item | None = found.get(own)
        if secret is None and place.get("keyId"):
            secret = table.get(keys.KeySecret(organization, place["keyId"]))
        if secret is not None:
            return Signed(place["url"], secret["tools"])
    raise SecretNotFound


def _report(item: Item, error: UnreadableItem) -> None:
    unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
