"""The migration runner: `python -m scripts.admin migrate`.

One item of the table, SchemaVersion, says which schema the items have. A migration scans the table and rewrites the
items of the schema before it. The service keeps running meanwhile, so a migration writes each item under a condition,
and both schemas must work until it ends.

The scan's position is saved after each page, and a run that was interrupted continues there. The page after it may be
done already, so migrations are idempotent. That also makes a second run at the same time harmless.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.schema_version import SchemaVersion
from helpdesk.storage.table import ConditionFailed, Item

PAGE_ITEMS = 500

_schemas = Collection(SchemaVersion)


class SchemaTooNew(Exception):
    """The table has a schema that this version of the code does not know."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema.

    `change` rewrites one item and returns whether it did. It gets every item of the table, returns False for those that
    are not its own or need no change, and may raise ConditionFailed when the item changed since it was read. The item
    is then read and offered again.
    """

    title: str
    change: Callable[[Item], bool]


type Report = Callable[[str], None]
"""Receives one line of progress."""


def current() -> SchemaVersion:
    """Return the table's schema; version 0 where no migration ever ran."""
    return _schemas.find() or SchemaVersion()


def pending(migrations: Sequence[Migration]) -> list[tuple[int, Migration]]:
    """Return the migrations that the table still needs, in order, each with the version after it. Raises SchemaTooNew.

    `migrations` are all of them, from version 1 on.
    """
    version = current().version
    if version > len(migrations):
        raise SchemaTooNew
    return list(enumerate(migrations, 1))[version:]


def migrate(migrations: Sequence[Migration], report: Report) -> int:
    """Apply every pending migration; return how many items changed. Raises SchemaTooNew."""
    changed = 0
    for version, migration in pending(migrations):
        report(f"{version}. {migration.title}")
        changed += _apply(version, migration, report)
    return changed


def _apply(version: int, migration: Migration, report: Report) -> int:
    position = current().scan_position
    seen = changed = 0
    while True:
        page = table.scan(limit=PAGE_ITEMS, after=position)
        seen += len(page.items)
        changed += sum(_change(migration, item) for item in page.items)
        report(f"   {seen} items read, {changed} changed")
        position = page.after
        is_last = position is None
        try:
            table.change(
                SchemaVersion.key_for(),
                set={"version": version if is_last else version - 1, "scan_position": position},
                require={"version": below(version)},
                or_new=True,
            )
        except ConditionFailed:  # another run has finished it
            return changed
        if is_last:
            return changed


def _change(migration: Migration, item: Item) -> bool:
    found: Item | None = item
    while found is not None:
        try:
            return migration.change(found)
        except ConditionFailed as failed:
            found = failed.item
    return False
