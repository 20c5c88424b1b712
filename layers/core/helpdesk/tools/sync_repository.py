"""What a sync writes, and what the removal of an endpoint deletes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import repository
from helpdesk.tools.json_text import canonical
from helpdesk.tools.planning import Plan, Write
from helpdesk.tools.record import SyncStatus, Tool, ToolEndpoint, due_at

_IN_A_TRANSACTION = 90  # of DynamoDB's 100 actions; the rest is for the endpoint and the log
_BYTES_IN_A_TRANSACTION = (
    3_000_000  # of DynamoDB's 4 MB: a tool whose four schemas are as large as may be takes 130 KB
)


class Superseded(Exception):
    """A later sync was asked for, the endpoint was removed, or another worker ended this one."""


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
                status=SyncStatus.SYNCED,
                problem=None,
                tools=plan.names,
                changes=plan.changes,
                last_sync_at=at,
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
    _end(transaction, endpoint, status=SyncStatus.FAILED, problem=problem, last_sync_at=at)
    transaction.commit()


def requeue(transaction: Transaction, seen: ToolEndpoint) -> None:
    """Note that a sync is queued again. The transaction raises ConditionFailed if it has ended or was noted before."""
    transaction.change(
        seen.key,
        set={"due_at": due_at()},
        add={"requeues": 1},
        require={"due_at": seen.due_at, "sync_id": seen.sync_id},
        on_failure=ConditionFailed,
    )


def tools_of(organization: str, endpoint_id: str) -> list[str]:
    """Return the names whose items belong to an endpoint, the withdrawn ones too, even if it was removed."""
    items = table.query_all(ToolEndpoint.partition_for(organization), sk_prefix="TOOL#")
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
    transaction.require(endpoint.key, _as_asked(endpoint), on_failure=Superseded())


def _end(transaction: Transaction, endpoint: ToolEndpoint, **values: Any) -> None:
    transaction.change(
        endpoint.key,
        set={**values, "GSI2PK": None, "due_at": None},
        require=_as_asked(endpoint),
        on_failure=Superseded(),
    )


def _as_asked(endpoint: ToolEndpoint) -> dict[str, Any]:
    """Return the values of an endpoint while its sync is pending and no later one was asked for."""
    return {"sync_id": endpoint.sync_id, "status": SyncStatus.PENDING}


def _store(transaction: Transaction, organization: str, write: Write) -> None:
    if write.seen is not None:
        repository.replace_tool(transaction, organization, write.tool, write.seen)
    else:
        transaction.put(write.tool.to_item(organization), new=True, on_failure=ConditionFailed)
