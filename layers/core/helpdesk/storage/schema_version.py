"""The item about the table itself, which the migration runner keeps (scripts/migrations)."""

from helpdesk.storage.stored import Stored, field
from helpdesk.storage.wire import Item


class SchemaVersion(Stored, kw_only=True):
    """The schema of the table's items, and how far the scan of the migration after `version` has come."""

    PK, SK = "SCHEMA", "SCHEMA"
    version: int = 0
    scan_position: Item | None = field(name="position", default=None)
