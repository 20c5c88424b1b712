"""Items of tool endpoints and tools. What a sync writes is in `sync_repository`."""

from collections.abc import Sequence
from copy import replace
from typing import NamedTuple

from msgspec.structs import asdict

from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import log_unreadable
from helpdesk.storage import keys, table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals.risk import Risk
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
)

_URL_TAKEN = "Another tool endpoint has this URL. Remove that one first, or give another URL."
_ENDPOINT, _TOOL = ToolEndpoint.sk_prefix(), "TOOL#"

stored_endpoints = Collection(ToolEndpoint)
_urls = Collection(ToolEndpointUrl)


class Catalog(NamedTuple):
    """An organization's endpoints in the order of their creation, and its tools by name, the withdrawn ones too.

    A tool whose endpoint was removed is not among them. `orphans` has it by name while its item exists: until `removal`
    deletes it, and for good if the organization chose something about it.
    """

    endpoints: list[ToolEndpoint]
    tools: dict[str, Tool]
    orphans: dict[str, Tool]


def catalog(organization: str) -> Catalog:
    """Return an organization's endpoints and tools. One query, which reads up to 1 MB in a call.

    An item that cannot be read is reported and left out: a tool that nobody can read is not called.
    """
    endpoints: dict[str, ToolEndpoint] = {}
    tools: dict[str, Tool] = {}
    orphans: dict[str, Tool] = {}
    known: set[str] = set()
    items = table.query_all(ToolEndpoint.partition_for(organization))
    for item in items:
        if item["SK"].startswith(_ENDPOINT):
            known.add(item["SK"].removeprefix(_ENDPOINT))
            try:
                endpoints[item["SK"]] = ToolEndpoint.from_item(item)
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
            else:
                orphans[tool.name] = tool
    return Catalog(list(endpoints.values()), tools, orphans)


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
    if tool.withdrawn or table.get(ToolEndpoint.key_for(organization, tool.endpoint_id)) is None:
        return None
    return tool


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
    found = Endpoints([], [])
    for item in table.query_all(ToolEndpoint.partition_for(organization), sk_prefix=_ENDPOINT):
        try:
            found.readable.append(ToolEndpoint.from_item(item))
        except UnreadableItem as error:
            _report(item, error)
            found.unreadable.append(item["SK"].removeprefix(_ENDPOINT))
    return found


def endpoints(organization: str) -> list[ToolEndpoint]:
    """Return the endpoints of an organization that can be read."""
    return read_endpoints(organization).readable


def endpoint(organization: str, endpoint_id: str) -> ToolEndpoint | None:
    """Return an endpoint; None if there is none with this ID. Raises UnreadableItem."""
    return stored_endpoints.find(organization, endpoint_id)


def urls_of(organization: str, endpoint_ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of endpoints by id. One call for up to 100."""
    found = stored_endpoints.by_ids(organization, ids=endpoint_ids, consistent=False)
    return {endpoint.id: endpoint.url for endpoint in found.values()}


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

    The transaction raises InvalidUrl if another endpoint has it, ConditionFailed if another one has the former address
    by now.
    """
    transaction.put(claim(organization, new_url, endpoint_id), new=True, on_failure=InvalidUrl(_URL_TAKEN))
    transaction.delete(
        claim(organization, url, endpoint_id).key,
        condition="attribute_not_exists(PK) OR endpointId = :endpoint",
        values={":endpoint": endpoint_id},
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
        transaction.delete(keys.EndpointSecret(endpoint.organization, endpoint.id))


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
        transaction.delete(keys.EndpointSecret(endpoint.organization, endpoint.id))


def remove_endpoint(transaction: Transaction, organization: str, endpoint_id: str, url: str) -> None:
    """Remove an endpoint with its secret, and decrease the count.

    The transaction raises ConditionFailed if the endpoint was removed or got another address in the meantime.
    Its tools are gone for every reader from then on (see `catalog`); `removal` deletes their items.
    """
    transaction.delete(
        ToolEndpoint.key_for(organization, endpoint_id), require={"url": url}, on_failure=ConditionFailed
    )
    transaction.delete(claim(organization, url, endpoint_id).key)
    transaction.delete(keys.EndpointSecret(organization, endpoint_id))
    transaction.change(ToolEndpointCount.key_for(organization), add={"endpoints": -1}, or_new=True)


def set_tool(
    transaction: Transaction, organization: str, seen: Tool, *, enabled: bool, raised: Risk | None
) -> None:
    """Set what the organization chooses about a tool.

    The transaction raises ConditionFailed if the tool is no longer as it was seen.
    """
    transaction.update(
        keys.Tool(organization, seen.name),
        "SET enabled = :enabled, raisedRisk = :raised",
        condition=AS_SEEN,
        values={
            ":enabled": enabled,
            ":raised": None if raised is None else raised.value,
            **as_seen(seen),
        },
        names=AS_SEEN_NAMES,
        on_failure=ConditionFailed,
    )


def accept(transaction: Transaction, organization: str, seen: Tool, at: int) -> None:
    """Put what waits of a tool in force. The transaction raises ConditionFailed if the tool is no longer as seen."""
    if seen.waiting is None:
        raise ValueError("nothing waits")
    accepted = replace(seen, declared=seen.waiting, waiting=None, withdrawn=False, updated_at=at)
    replace_tool(transaction, organization, accepted, seen)


def replace_tool(transaction: Transaction, organization: str, tool: Tool, seen: Tool) -> None:
    """Store a tool in place of the one that was seen. The transaction raises ConditionFailed if it has changed."""
    key = keys.Tool(organization, tool.name)
    item = {name: value for name, value in tool.to_item(organization).items() if name not in key.attributes()}
    transaction.set(
        key,
        item,
        condition=AS_SEEN,
        values=as_seen(seen),
        on_failure=ConditionFailed,
    )


def forget(transaction: Transaction, organization: str, seen: Tool) -> None:
    """Delete a tool. The transaction raises ConditionFailed if it is no longer as seen: an admin may have raised it."""
    transaction.delete(
        keys.Tool(organization, seen.name),
        condition=AS_SEEN,
        names=AS_SEEN_NAMES,
        values=as_seen(seen),
        on_failure=ConditionFailed,
    )


AS_SEEN = (
    "#endpointId = :seenEndpoint AND #definition = :seenDefinition AND #enabled = :seenEnabled "
    "AND #raisedRisk = :seenRaised AND #waitingId = :seenWaiting AND #withdrawn = :seenWithdrawn"
)
AS_SEEN_NAMES = {
    f"#{name}": name
    for name in ("endpointId", "definition", "enabled", "raisedRisk", "waitingId", "withdrawn")
}


def as_seen(tool: Tool) -> Item:
    """Return the values of the condition AS_SEEN."""
    return {
        ":seenEndpoint": tool.endpoint_id,
        ":seenDefinition": tool.definition,
        ":seenEnabled": tool.enabled,
        ":seenRaised": None if tool.raised_risk is None else tool.raised_risk.value,
        ":seenWaiting": tool.waiting_id,
        ":seenWithdrawn": tool.withdrawn,
    }


def set_changes(transaction: Transaction, endpoint: ToolEndpoint, changes: Sequence[ToolChange]) -> None:
    """Store the changes that are left. The transaction raises ConditionFailed if a sync ended in the meantime."""
    transaction.change(
        endpoint.key,
        set={"changes": tuple(changes)},
        require={"last_sync_at": endpoint.last_sync_at, "changes": endpoint.changes},
        on_failure=ConditionFailed,
    )


def _report(item: Item, error: UnreadableItem) -> None:
    log_unreadable({"PK": item["PK"], "SK": item["SK"]}, error)
