"""How far the runs of auto-resolve have come, as it is stored."""

from helpdesk.storage import shards
from helpdesk.storage.stored import Stored, field


class AutoResolveCheckpoint(Stored, kw_only=True):
    """How far the runs of one night have come, by its date in UTC.

    `shards_done` shards are complete. In the next one the runs have come to `organization`, and in its list of open
    conversations to `index_key`.
    """

    PK, SK = "AUTORESOLVE#{date}", "CHECKPOINT"
    date: str
    shards_done: int = field(name="shards", default=0)
    organization: str = ""
    index_key: str = ""
    expires_at: int | None = None

    @property
    def night_is_done(self) -> bool:
        """Whether nothing is left."""
        return self.shards_done >= shards.SHARDS
