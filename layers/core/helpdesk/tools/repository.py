"""Items of tool endpoints and tools. What a sync writes of an endpoint is in `sync_state`."""

from collections.abc import Sequence
from contextlib import suppress
from copy import replace
from typing import Any, NamedTuple

from msgspec.structs import asdict

from helpdesk.accounts.secret_keys.record import EndpointSecret
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.errors import (
    MAX_TOOL_ENDPOINTS,
    ToolNotFound,
    TooManyToolEndpoints,
)
from helpdesk.tools.record import (
    SyncStatus,
    Tool,
    ToolChange,
    ToolEndpoint,
    ToolEndpointCount,
    ToolEndpointUrl,
    due_at,
    tool_endpoints,
)

_URL_TAKEN = "Another tool endpoint has this URL. Remove that one first, or give another URL."
_ENDPOINT = ToolEndpoint.sk_prefix()

_tools = Collection(Tool)
_urls = Collection(ToolEndpointUrl)


class Catalog(NamedTuple):
    """An organization's endpoints in the order of their creation, and its tools by name, the withdrawn ones too.

    A tool whose endpoint was removed is not among them. `orphans` has it by name while its item exists: until the
    removal's job deletes it, and for good if the organization chose something about it.
    """

    endpoints: list[ToolEndpoint]
    tools: dict[str, Tool]
    orphans: dict[str, Tool]


def catalog(organization: str) -> Catalog:
    """Return an organization's endpoints and tools. One query, which reads up to 1 MB in a call.

    An item that cannot be read is reported and left out: a tool that nobody can read is not called.
    """
    items = table.query_all(ToolEndpoint.partition_for(organization))
    endpoints = [item for item in items if item["SK"].startswith(_ENDPOINT)]
    known = {item["SK"].removeprefix(_ENDPOINT) for item in endpoints}
    found = _tools.readable(item for item in items if item["SK"].startswith(Tool.sk_prefix()))
    return Catalog(
        tool_endpoints.readable(endpoints),
        {tool.name: tool for tool in found if tool.endpoint_id in known},
        {tool.name: tool for tool in found if tool.endpoint_id not in known},
    )


def find(organization: str, name: str) -> Tool | None:
    """Return the tool with this name, enabled or not; None if no connected endpoint declares it. Two calls."""
    item = table.get(Tool.key_for(organization, name))
    for tool in _tools.readable([] if item is None else [item]):
        if not tool.withdrawn and table.get(ToolEndpoint.key_for(organization, tool.endpoint_id)) is not None:
            return tool
    return None


def get(organization: str, name: str) -> Tool:
    """Return the tool with this name. Raises ToolNotFound."""
    tool = find(organization, name)
    if tool is None:
        raise ToolNotFound
    return tool


class Endpoints(NamedTuple):
    """An organization's endpoints, ten at most, in the order of their creation; those that cannot be read by ID."""

    readable: list[ToolEndpoint]
    unreadable: list[str]


def read_endpoints(organization: str) -> Endpoints:
    """Return all endpoints of an organization, and report those that cannot be read. One query."""
    items = table.query_all(ToolEndpoint.partition_for(organization), sk_prefix=_ENDPOINT)
    readable = tool_endpoints.readable(items)
    ids = [item["SK"].removeprefix(_ENDPOINT) for item in items]
    return Endpoints(readable, [each for each in ids if each not in {one.id for one in readable}])


def claim(organization: str, url: str, endpoint_id: str) -> ToolEndpointUrl:
    """Return the item that claims an address for an endpoint."""
    return ToolEndpointUrl(organization, sha256_hex(url), endpoint_id)


def find_by_url(organization: str, url: str) -> str | None:
    """Return the ID of the endpoint that has this very address; None if none has."""
    found = _urls.find(organization, sha256_hex(url))
    return None if found is None else found.endpoint_id


def add_endpoint(transaction: Transaction, endpoint: ToolEndpoint) -> None:
    """Add an endpoint and count it.

    The transaction raises TooManyToolEndpoints if the limit is reached, ConditionFailed if another has the address.
    """
    transaction.put(
        claim(endpoint.organization, endpoint.url, endpoint.id), new=True, on_failure=ConditionFailed
    )
    transaction.change(
        ToolEndpointCount.key_for(endpoint.organization),
        add={"endpoints": 1},
        require={"endpoints": below(MAX_TOOL_ENDPOINTS)},
        or_new=True,
        on_failure=TooManyToolEndpoints(),
    )
    transaction.put(endpoint, new=True)


def _move(transaction: Transaction, organization: str, endpoint_id: str, url: str, new_url: str) -> None:
    """Let an endpoint claim another address.

    The transaction raises InvalidUrl if another endpoint has it, ConditionFailed if this one doesn't have the former
    address any more.
    """
    transaction.put(claim(organization, new_url, endpoint_id), new=True, on_failure=InvalidUrl(_URL_TAKEN))
    transaction.delete(
        claim(organization, url, endpoint_id).key,
        require={"endpoint_id": endpoint_id},
        on_failure=ConditionFailed,
    )


def schedule(
    transaction: Transaction,
    endpoint: ToolEndpoint,
    sync_id: str,
    key_id: str | None = None,
    url: str | None = None,
) -> None:
    """Make a sync the endpoint's latest one; with `key_id` another key signs, with `url` it has another address.

    The transaction raises ConditionFailed if the endpoint was removed or its key was revoked in the meantime, or if it
    got another address, InvalidUrl if another endpoint has the new one.
    """
    chosen = key_id or endpoint.key_id
    if url is not None and url != endpoint.url:
        _move(transaction, endpoint.organization, endpoint.id, endpoint.url, url)
    transaction.change(
        endpoint.key,
        set={
            "sync_id": sync_id,
            "status": SyncStatus.PENDING,
            "key_id": chosen,
            "url": url or endpoint.url,
            "requeues": 0,
            **replace(endpoint, due_at=due_at()).index_entry("GSI2"),
        },
        require={"key_id": endpoint.key_id, "url": endpoint.url},
        on_failure=ConditionFailed,
    )
    if chosen != endpoint.key_id:
        transaction.delete(EndpointSecret.key_for(endpoint.organization, endpoint.id))


class Remains(NamedTuple):
    """What is known of an endpoint even if it cannot be read."""

    url: str
    key_id: str | None
    created_at: int


def remains(organization: str, endpoint_id: str) -> Remains | None:
    """Return what is known of an endpoint even if it cannot be read; None if there is no such endpoint."""
    item = table.get(ToolEndpoint.key_for(organization, endpoint_id))
    if item is None:
        return None
    key_id, created_at = item.get("keyId"), item.get("createdAt")
    return Remains(
        str(item["url"]),
        key_id if isinstance(key_id, str) else None,
        created_at if isinstance(created_at, int) else clock.now_ms(),
    )


def repair(transaction: Transaction, endpoint: ToolEndpoint, seen: Remains) -> None:
    """Store an endpoint, maybe with another address, in place of one that cannot be read.

    The transaction raises ConditionFailed if the endpoint was removed or its key revoked in the meantime, or if it got
    another address, InvalidUrl if another endpoint has the new one.
    """
    if endpoint.url != seen.url:
        _move(transaction, endpoint.organization, endpoint.id, seen.url, endpoint.url)
    values = {
        name: value for name, value in asdict(endpoint).items() if name not in {"organization", "due_at"}
    }
    transaction.change(
        endpoint.key,
        set=values | endpoint.index_entry("GSI2"),
        require={"url": seen.url} | ({} if seen.key_id is None else {"key_id": seen.key_id}),
        on_failure=ConditionFailed,
    )
    if endpoint.key_id != seen.key_id:
        transaction.delete(EndpointSecret.key_for(endpoint.organization, endpoint.id))


def remove_endpoint(transaction: Transaction, organization: str, endpoint_id: str, url: str) -> None:
    """Remove an endpoint with its secret, and decrease the count.

    The transaction raises ConditionFailed if the endpoint was removed or got another address in the meantime.
    Its tools are gone for every reader from then on (see `catalog`); `removal` deletes their items.
    """
    transaction.delete(
        ToolEndpoint.key_for(organization, endpoint_id), require={"url": url}, on_failure=ConditionFailed
    )
    transaction.delete(claim(organization, url, endpoint_id).key)
    transaction.delete(EndpointSecret.key_for(organization, endpoint_id))
    transaction.change(ToolEndpointCount.key_for(organization), add={"endpoints": -1}, or_new=True)


def accept(transaction: Transaction, seen: Tool, at: int) -> None:
    """Put what waits of a tool in force. The transaction raises ConditionFailed if the tool is no longer as seen."""
    if seen.waiting is None:
        raise ValueError("nothing waits")
    accepted = replace(seen, declared=seen.waiting, waiting=None, withdrawn=False, updated_at=at)
    replace_tool(transaction, accepted, seen)


def replace_tool(transaction: Transaction, tool: Tool, seen: Tool) -> None:
    """Store a tool in place of the one that was seen. The transaction raises ConditionFailed if it has changed."""
    item = {name: value for name, value in tool.to_item().items() if name not in {"PK", "SK"}}
    transaction.set(
        tool.key,
        item,
        removed=[name for name in _OPTIONAL if name not in item],
        **_as_seen(seen),
        on_failure=ConditionFailed,
    )


def forget(transaction: Transaction, seen: Tool) -> None:
    """Delete a tool. The transaction raises ConditionFailed if it is no longer as seen: an admin may have raised it."""
    transaction.delete(seen.key, **_as_seen(seen), on_failure=ConditionFailed)


_OPTIONAL = ("title", "outputSchema", "raisedRisk", "waiting", "waitingId")


def _as_seen(tool: Tool) -> dict[str, Any]:
    """Return the condition that a tool is as it was seen, with its names and values."""
    seen = {
        "endpointId": tool.endpoint_id,
        "definition": tool.definition,
        "enabled": tool.enabled,
        "raisedRisk": tool.raised_risk,
        "waitingId": tool.waiting_id,
        "withdrawn": tool.withdrawn,
    }
    terms = [
        f"#{name} = :seen_{name}"
        if value is not None
        else f"(attribute_not_exists(#{name}) OR #{name} = :seen_{name})"
        for name, value in seen.items()
    ]
    return {
        "condition": " AND ".join(terms),
        "names": {f"#{name}": name for name in seen},
        "values": {f":seen_{name}": value for name, value in seen.items()},
    }


def tools_of(organization: str, endpoint_id: str) -> list[str]:
    """Return the names whose items belong to an endpoint, the withdrawn ones too, even if it was removed."""
    prefix = Tool.sk_prefix()
    items = table.query_all(Tool.partition_for(organization), sk_prefix=prefix)
    return [item["SK"].removeprefix(prefix) for item in items if item.get("endpointId") == endpoint_id]


def delete_tools(organization: str, endpoint_id: str, names: Sequence[str]) -> None:
    """Delete a removed endpoint's tools, one by one.

    One that another endpoint has taken over stays, and one that the organization chose something about: the choice is
    the name's, for whichever endpoint declares it next.
    """
    for name in names:
        transaction = Transaction()
        transaction.delete(
            Tool.key_for(organization, name),
            require={"endpoint_id": endpoint_id, "enabled": True, "raised_risk": None},
            on_failure=ConditionFailed,
        )
        with suppress(ConditionFailed):
            transaction.commit()


def set_changes(transaction: Transaction, endpoint: ToolEndpoint, changes: Sequence[ToolChange]) -> None:
    """Store the changes that are left. The transaction raises ConditionFailed if a sync ended in the meantime."""
    transaction.change(
        endpoint.key,
        set={"changes": tuple(changes)},
        require={"last_sync_at": endpoint.last_sync_at, "changes": endpoint.changes},
        on_failure=ConditionFailed,
    )
