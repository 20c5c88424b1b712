"""How far the runs of auto-resolve have come, as it is stored."""

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import shards
from helpdesk.storage.table import Item

_KEPT_SECONDS = 7 * DAY_SECONDS


class AutoResolveCheckpoint(Record):
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
