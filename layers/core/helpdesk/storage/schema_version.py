"""The item about the table itself, which the migration runner keeps (scripts/migrations)."""

from helpdesk.storage.stored import Stored, field
from helpdesk.storage.wire import Item


class SchemaVersion(Stored, kw_only=True):
    """The schema of the table's items, and the progress of a running migration.

    A run holds the item until `lease_until` (ms). `scan_position` is the scan's last key within the migration after
    `version`.
    """

    PK, SK = "SCHEMA", "SCHEMA"
    version: int = 0
    owner: str | None = None
    lease_until: int = 0
    scan_position: Item | None = field(name="position", default=None)
