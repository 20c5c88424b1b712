"""The syncs of tool endpoints as they are stored: what each writes, and those that were lost.

A sync is lost if its worker died at every try, or if its job never arrived. An endpoint is in an index while its sync
is pending, sorted by when somebody has to look at it. A scheduled run queues the sync again, a few times, and then lets
it fail, so that no endpoint stays `pending`.
"""

from collections.abc import Sequence
from typing import Any

from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import jobs, repository
from helpdesk.tools.jobs import SyncJob
from helpdesk.tools.json_text import canonical
from helpdesk.tools.planning import Plan, Write
from helpdesk.tools.record import SyncStatus, Tool, ToolEndpoint, due_at, tool_endpoints

_IN_A_TRANSACTION = 90  # of DynamoDB's 100 actions; the rest is for the endpoint and the log
_BYTES_IN_A_TRANSACTION = (
    3_000_000  # of DynamoDB's 4 MB: a tool whose four schemas are as large as may be takes 130 KB
)

MAX_REQUEUES = 3
"""How often a lost sync is queued again before it fails."""

_LOST_ON_A_PAGE = 100
_LOST = "The manifest could not be read: the service failed each time it tried. Sync again."


class Superseded(Exception):
    """A later sync was asked for, the endpoint was removed, or another worker ended this one."""


def commit(endpoint: ToolEndpoint, plan: Plan, log_entry: Item | None, at: int) -> None:
    """Store what a sync found. Raises Superseded, and ConditionFailed if a tool is not as it was seen.

    One transaction as a rule. Of a manifest that replaces nearly every tool, the declared ones come first: a name that
    is taken fails before anything is stored, and a crash in between leaves tools that the repeated job withdraws.
    """
    groups = _groups([*plan.writes, *plan.forgets])
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
            if not isinstance(step, Write):
                repository.forget(transaction, step)
            elif step.seen is not None:
                repository.replace_tool(transaction, step.tool, step.seen)
            else:
                transaction.put(step.tool, new=True, on_failure=ConditionFailed)
        transaction.commit()


def _groups(steps: Sequence[Write | Tool]) -> list[list[Write | Tool]]:
    """Return what each transaction does; one group at least."""
    groups: list[list[Write | Tool]] = [[]]
    room = _BYTES_IN_A_TRANSACTION
    for step in steps:
        size = len(canonical(step.tool.to_item()).encode()) if isinstance(step, Write) else 0
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


def queue_again(deadline: int) -> int:
    """Queue lost syncs again, or let them fail; return how many that were.

    One query for each shard where there is none. Ends when there are no more, or at the instant `deadline` (ms).
    """
    now, found = clock.now_ms(), 0

    def read(shard: int, after: Item | None) -> tuple[list[ToolEndpoint], Item | None]:
        return tool_endpoints.due(shard, now, _LOST_ON_A_PAGE, after, index="GSI2")

    for page in shards.pages(read, now // MINUTE_MS, deadline):
        found += sum(map(_look_at, page))
    return found


def _look_at(endpoint: ToolEndpoint) -> bool:
    """Take care of a sync that is due; return False if it has ended since."""
    try:
        if endpoint.requeues >= MAX_REQUEUES:
            fail(endpoint, _LOST, clock.now_ms())
        else:
            transaction = Transaction()
            transaction.change(
                endpoint.key,
                set={"due_at": due_at()},
                add={"requeues": 1},
                require={"due_at": endpoint.due_at, "sync_id": endpoint.sync_id},
                on_failure=ConditionFailed,
            )
            transaction.put(jobs.item(SyncJob(endpoint.organization, endpoint.id, endpoint.sync_id)))
            transaction.commit()
    except (Superseded, ConditionFailed):
        return False
    return True
