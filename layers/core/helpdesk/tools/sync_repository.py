"""What a sync writes, and what the removal of an endpoint deletes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from helpdesk.platform import unreadable
from helpdesk.storage import keys, shards, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import repository
from helpdesk.tools.json_text import canonical
from helpdesk.tools.planning import Plan, Write
from helpdesk.tools.record import SyncStatus, Tool, ToolEndpoint, due_index

_IN_A_TRANSACTION = 90  # of DynamoDB's 100 actions; the rest is for the endpoint and the log
_BYTES_IN_A_TRANSACTION = (
    3_000_000  # of DynamoDB's 4 MB: a tool whose four schemas are as large as may be takes 130 KB
)
_AS_ASKED = "syncId = :sync AND #status = :pending"


class Superseded(Exception):
    """A later sync was asked for, the endpoint was removed, or another worker ended this one."""


def _superseded(_: Item | None) -> Superseded:
    return Superseded()


def commit(endpoint: ToolEndpoint, plan: Plan, log_entry: Item | None, at: int) -> None:
    """Store what a sync found. Raises Superseded, and ConditionFailed if a tool is not as it was seen.

    One transaction as a rule. Of a manifest that replaces nearly every tool, the declared ones come first: a name that
    is taken fails before anything is stored, and a crash in between leaves tools that the repeated job withdraws.
    """
    groups = _groups(endpoint.organization, [*plan.writes, *plan.forgets])
    for number, group in enumerate(groups, start=1):
        transaction = Transaction()
        if number < len(groups):
            _require_latest(transaction, endpoint)
        else:
            _end(
                transaction,
                endpoint,
                "SET #status = :status, problem = :null, tools = :tools, changes = :changes, lastSyncAt = :at",
                {
                    ":status": SyncStatus.SYNCED.value,
                    ":null": None,
                    ":tools": list(plan.names),
                    ":changes": [change.to_item() for change in plan.changes],
                    ":at": at,
                },
            )
            if log_entry is not None:
                transaction.put(log_entry)
        for step in group:
            if isinstance(step, Write):
                _store(transaction, endpoint.organization, step)
            else:
                repository.forget(transaction, endpoint.organization, step)
        transaction.commit()


def _groups(organization: str, steps: Sequence[Write | Tool]) -> list[list[Write | Tool]]:
    """Return what each transaction does; one group at least."""
    groups: list[list[Write | Tool]] = [[]]
    room = _BYTES_IN_A_TRANSACTION
    for step in steps:
        size = len(canonical(step.tool.to_item(organization)).encode()) if isinstance(step, Write) else 0
        if groups[-1] and (size > room or len(groups[-1]) == _IN_A_TRANSACTION):
            groups.append([])
            room = _BYTES_IN_A_TRANSACTION
        groups[-1].append(step)
        room -= size
    return groups


def fail(endpoint: ToolEndpoint, problem: str, at: int) -> None:
    """Store why a sync failed. The tools stay as they are. Raises Superseded."""
    transaction = Transaction()
    _end(
        transaction,
        endpoint,
        "SET #status = :status, problem = :problem, lastSyncAt = :at",
        {":status": SyncStatus.FAILED.value, ":problem": problem, ":at": at},
    )
    transaction.commit()


class DueSync(NamedTuple):
    """An endpoint whose sync has been pending for long, and when that was due, as the index sorts it."""

    endpoint: ToolEndpoint
    due: str


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[DueSync], Item | None]:
    """Return a page of a shard's syncs that are due before an instant (ms), and the key to continue from.

    An endpoint that cannot be read is reported and left out.
    """
    page = table.query(
        shards.due_syncs(shard), index="GSI2", sk_between=("0", f"{before:013d}"), limit=limit, after=after
    )
    found = []
    for item in page.items:
        key = keys.ToolEndpoint.parse(item["PK"], item["SK"])
        try:
            if key is not None:
                found.append(DueSync(ToolEndpoint.from_item(key.organization, item), item["GSI2SK"]))
        except UnreadableItem as error:
            unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
    return found, page.after


def requeue(transaction: Transaction, seen: DueSync) -> None:
    """Note that a sync is queued again. The transaction raises ConditionFailed if it has ended or was noted before."""
    endpoint = seen.endpoint
    transaction.update(
        keys.ToolEndpoint(endpoint.organization, endpoint.id),
        "SET GSI2SK = :when ADD requeues :one",
        condition="GSI2SK = :seen AND syncId = :sync",
        values={
            ":when": due_index(endpoint.id)["GSI2SK"],
            ":one": 1,
            ":seen": seen.due,
            ":sync": endpoint.sync_id,
        },
        on_failure=ConditionFailed,
    )


def tools_of(organization: str, endpoint_id: str) -> list[str]:
    """Return the names whose items belong to an endpoint, the withdrawn ones too, even if it was removed."""
    items = table.query_all(keys.ToolEndpointCount(organization).pk, sk_prefix="TOOL#")
    return [item["SK"].removeprefix("TOOL#") for item in items if item.get("endpointId") == endpoint_id]


def delete_tools(organization: str, endpoint_id: str, names: Sequence[str]) -> None:
    """Delete a removed endpoint's tools, one by one.

    One that another endpoint has taken over stays, and one that the organization chose something about: the choice is
    the name's, for whichever endpoint declares it next.
    """
    for name in names:
        transaction = Transaction()
        transaction.delete(
            keys.Tool(organization, name),
            condition="endpointId = :endpoint AND enabled = :yes AND raisedRisk = :none",
            values={":endpoint": endpoint_id, ":yes": True, ":none": None},
            on_failure=ConditionFailed,
        )
        with suppress(ConditionFailed):
            transaction.commit()


def _require_latest(transaction: Transaction, endpoint: ToolEndpoint) -> None:
    transaction.require(
        keys.ToolEndpoint(endpoint.organization, endpoint.id),
        _AS_ASKED,
        names={"#status": "status"},
        values={":sync": endpoint.sync_id, ":pending": SyncStatus.PENDING.value},
        on_failure=_superseded,
    )


def _end(transaction: Transaction, endpoint: ToolEndpoint, expression: str, values: Item) -> None:
    transaction.update(
        keys.ToolEndpoint(endpoint.organization, endpoint.id),
        f"{expression} REMOVE GSI2PK, GSI2SK",  # it is no longer due (lost_syncs)
        condition=_AS_ASKED,
        names={"#status": "status"},
        values={**values, ":sync": endpoint.sync_id, ":pending": SyncStatus.PENDING.value},
        on_failure=_superseded,
    )


def _store(transaction: Transaction, organization: str, write: Write) -> None:
    if write.seen is not None:
        repository.replace_tool(transaction, organization, write.tool, write.seen)
    else:
        transaction.put(write.tool.to_item(organization), new=True, on_failure=ConditionFailed)
