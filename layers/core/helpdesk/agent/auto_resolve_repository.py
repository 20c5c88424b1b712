"""Items of auto-resolve: which organizations have it on, and how far the runs of one night have come."""

from helpdesk.platform import clock
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_KEPT_SECONDS = 7 * DAY_SECONDS


class AutoResolveCheckpoint(FrozenRecord):
    """How far the runs of one night have come.

    `shards_done` shards are complete. In the next one the runs have come to `organization`, and in its list of open
    conversations to `index_key`.
    """

    shards_done: int = 0
    organization: str = ""
    index_key: str = ""

    @property
    def night_is_done(self) -> bool:
        """Whether nothing is left."""
        return self.shards_done >= shards.SHARDS

    @classmethod
    def from_item(cls, item: Item) -> "AutoResolveCheckpoint":
        """Read a checkpoint's item."""
        return cls(int(item["shards"]), item["organization"], item["indexKey"])

    def to_item(self) -> Item:
        """Return the attributes of the checkpoint's item."""
        return {
            "shards": self.shards_done,
            "organization": self.organization,
            "indexKey": self.index_key,
            "expiresAt": clock.seconds_from_now(_KEPT_SECONDS),
        }


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
