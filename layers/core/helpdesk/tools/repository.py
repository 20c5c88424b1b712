"""Items of tool endpoints and tools. What a sync writes is in `sync_repository`."""

from collections.abc import Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.approvals.risk import Risk
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform import clock, unreadable
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import keys, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.errors import (
    MAX_TOOL_ENDPOINTS,
    ToolNotFound,
    TooManyToolEndpoints,
)
from helpdesk.tools.record import SyncStatus, Tool, ToolChange, ToolEndpoint, due_index

_URL_TAKEN = "Another tool endpoint has this URL. Remove that one first, or give another URL."
_ENDPOINT, _TOOL = "ENDPOINT#", "TOOL#"


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
    if tool.withdrawn or table.get(keys.ToolEndpoint(organization, tool.endpoint_id)) is None:
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
    for item in table.query_all(keys.ToolEndpointCount(organization).pk, sk_prefix=_ENDPOINT):
        try:
            found.readable.append(ToolEndpoint.from_item(organization, item))
        except UnreadableItem as error:
            _report(item, error)
            found.unreadable.append(item["SK"].removeprefix(_ENDPOINT))
    return found


def endpoints(organization: str) -> list[ToolEndpoint]:
    """Return the endpoints of an organization that can be read."""
    return read_endpoints(organization).readable


def endpoint(organization: str, endpoint_id: str) -> ToolEndpoint | None:
    """Return an endpoint; None if there is none with this ID. Raises UnreadableItem."""
    item = table.get(keys.ToolEndpoint(organization, endpoint_id))
    return None if item is None else ToolEndpoint.from_item(organization, item)


def urls_of(organization: str, endpoint_ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of endpoints by id. One call for up to 100."""
    found = table.get_many(
        [keys.ToolEndpoint(organization, endpoint_id) for endpoint_id in endpoint_ids], consistent=False
    )
    return {item["id"]: item["url"] for item in found.values()}


def url_key(organization: str, url: str) -> keys.ToolEndpointUrl:
    """Return the key of the item that claims an address."""
    return keys.ToolEndpointUrl(organization, sha256_hex(url))


def find_by_url(organization: str, url: str) -> str | None:
    """Return the ID of the endpoint that has this very address; None if none has."""
    item = table.get(url_key(organization, url))
    return None if item is None else str(item["endpointId"])


def add_endpoint(transaction: Transaction, endpoint: ToolEndpoint) -> None:
    """Add an endpoint and count it.

    The transaction raises TooManyToolEndpoints if the limit is reached, ConditionFailed if another has the address.
    """
    transaction.put(
        {**url_key(endpoint.organization, endpoint.url).attributes(), "endpointId": endpoint.id},
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.update(
        keys.ToolEndpointCount(endpoint.organization),
        "ADD endpoints :one",
        condition="attribute_not_exists(endpoints) OR endpoints < :limit",
        values={":one": 1, ":limit": MAX_TOOL_ENDPOINTS},
        on_failure=lambda _: TooManyToolEndpoints(),
    )
    transaction.put(endpoint.to_item(), new=True)


def _move(transaction: Transaction, organization: str, endpoint_id: str, url: str, new_url: str) -> None:
    """Let an endpoint claim another address.

    The transaction raises InvalidUrl if another endpoint has it, ConditionFailed if another one has the former address
    by now.
    """
    transaction.put(
        {**url_key(organization, new_url).attributes(), "endpointId": endpoint_id},
        new=True,
        on_failure=lambda _: InvalidUrl(_URL_TAKEN),
    )
    transaction.delete(
        url_key(organization, url),
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
    of, due = endpoint.organization, due_index(endpoint.id)
    chosen = key_id or endpoint.key_id
    if url is not None and url != endpoint.url:
        _move(transaction, of, endpoint.id, endpoint.url, url)
    transaction.update(
        keys.ToolEndpoint(of, endpoint.id),
        "SET syncId = :sync, #status = :pending, keyId = :key, GSI2PK = :due, GSI2SK = :when, requeues = :none, "
        "#url = :url",
        condition="keyId = :seen AND #url = :seenUrl",
        names={"#status": "status", "#url": "url"},
        values={
            ":due": due["GSI2PK"],
            ":when": due["GSI2SK"],
            ":none": 0,
            ":sync": sync_id,
            ":pending": SyncStatus.PENDING.value,
            ":key": chosen,
            ":seen": endpoint.key_id,
            ":url": url or endpoint.url,
            ":seenUrl": endpoint.url,
        },
        on_failure=ConditionFailed,
    )
    if chosen != endpoint.key_id:
        transaction.delete(keys.EndpointSecret(of, endpoint.id))


class Remains(NamedTuple):
    """What is known of an endpoint even if it cannot be read."""

    url: str
    key_id: str | None
    created_at: int


def remains(organization: str, endpoint_id: str) -> Remains | None:
    """Return what is known of an endpoint even if it cannot be read; None if there is no such endpoint."""
    item = table.get(keys.ToolEndpoint(organization, endpoint_id))
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
    key = keys.ToolEndpoint(endpoint.organization, endpoint.id)
    item = {name: value for name, value in endpoint.to_item().items() if name not in key.attributes()}
    transaction.set(
        key,
        item,
        condition="#url = :seenUrl" + ("" if seen.key_id is None else " AND keyId = :seen"),
        values={":seenUrl": seen.url} | ({} if seen.key_id is None else {":seen": seen.key_id}),
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
        keys.ToolEndpoint(organization, endpoint_id),
        condition="#url = :url",
        names={"#url": "url"},
        values={":url": url},
        on_failure=ConditionFailed,
    )
    transaction.delete(url_key(organization, url))
    transaction.delete(keys.EndpointSecret(organization, endpoint_id))
    transaction.update(keys.ToolEndpointCount(organization), "ADD endpoints :one", values={":one": -1})


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
    transaction.update(
        keys.ToolEndpoint(endpoint.organization, endpoint.id),
        "SET changes = :left",
        condition="lastSyncAt = :seen AND changes = :changes",
        values={
            ":left": [change.to_item() for change in changes],
            ":seen": endpoint.last_sync_at,
            ":changes": [change.to_item() for change in endpoint.changes],
        },
        on_failure=ConditionFailed,
    )


def _report(item: Item, error: UnreadableItem) -> None:
    unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
