"""Items of auto-resolve: which organizations have it on, and how far the runs of one night have come."""

from copy import replace

from helpdesk.agent.auto_resolve_record import AutoResolveCheckpoint
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import shards, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction

_KEPT_SECONDS = 7 * DAY_SECONDS

checkpoints = Collection(AutoResolveCheckpoint)


def organizations(shard: int, start: str, limit: int) -> list[str]:
    """Return the organizations of a shard that have `nightlySweep` on, from an id ("" for the first). One query."""
    bounds = (start or "0", "~")
    page = table.query(shards.auto_resolve(shard), index="GSI1", sk_between=bounds, limit=limit)
    return [item["GSI1SK"] for item in page.items]


def put(checkpoint: AutoResolveCheckpoint) -> None:
    """Write how far the runs of a night have come."""
    transaction = Transaction()
    transaction.put(replace(checkpoint, expires_at=clock.seconds_from_now(_KEPT_SECONDS)))
    transaction.commit()
