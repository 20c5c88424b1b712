"""Syncs that were lost: their worker died at every try, or their job never arrived.

An endpoint is in an index while its sync is pending, sorted by when somebody has to look at it. A scheduled run queues
the sync again, a few times, and then lets it fail, so that no endpoint stays `pending`.
"""

from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import jobs, repository, sync_repository
from helpdesk.tools.jobs import SyncJob
from helpdesk.tools.record import ToolEndpoint
from helpdesk.tools.sync_repository import Superseded

MAX_REQUEUES = 3
"""How often a lost sync is queued again before it fails."""

_PAGE = 100
_PROBLEM = "The manifest could not be read: the service failed each time it tried. Sync again."


def queue_again(deadline: int) -> int:
    """Queue lost syncs again, or let them fail; return how many that were.

    One query for each shard where there is none. Ends when there are no more, or at the instant `deadline` (ms).
    """
    now, found = clock.now_ms(), 0

    def read(shard: int, after: Item | None) -> tuple[list[ToolEndpoint], Item | None]:
        return repository.stored_endpoints.due(shard, now, _PAGE, after, index="GSI2")

    for page in shards.pages(read, now // MINUTE_MS, deadline):
        found += sum(map(_look_at, page))
    return found


def _look_at(endpoint: ToolEndpoint) -> bool:
    """Take care of a sync that is due; return False if it has ended since."""
    try:
        if endpoint.requeues >= MAX_REQUEUES:
            sync_repository.fail(endpoint, _PROBLEM, clock.now_ms())
        else:
            transaction = Transaction()
            sync_repository.requeue(transaction, endpoint)
            transaction.put(jobs.item(SyncJob(endpoint.organization, endpoint.id, endpoint.sync_id)))
            transaction.commit()
    except (Superseded, ConditionFailed):
        return False
    return True
