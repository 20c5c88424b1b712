"""Items of auto-resolve: which organizations have it on, and how far the runs of one night have come."""

from helpdesk.agent.auto_resolve_record import AutoResolveCheckpoint
from helpdesk.storage import keys, shards, table
from helpdesk.storage.transactions import Transaction


def organizations(shard: int, start: str, limit: int) -> list[str]:
    """Return the organizations of a shard that have `nightlySweep` on, from an id ("" for the first). One query."""
    bounds = (start or "0", "~")
    page = table.query(shards.auto_resolve(shard), index="GSI1", sk_between=bounds, limit=limit)
    return [item["GSI1SK"] for item in page.items]


def get(date: str) -> AutoResolveCheckpoint:
    """Return how far the runs of a night have come."""
    item = table.get(keys.AutoResolveCheckpoint(date))
    return AutoResolveCheckpoint.from_item(item) if item else AutoResolveCheckpoint()


def put(date: str, checkpoint: AutoResolveCheckpoint) -> None:
    """Write how far the runs of a night have come."""
    transaction = Transaction()
    transaction.put({**keys.AutoResolveCheckpoint(date).attributes(), **checkpoint.to_item()})
    transaction.commit()
