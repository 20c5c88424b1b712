"""The migration runner: `python -m scripts.admin migrate`.

One item of the table, SchemaVersion, says which schema the items have. A migration scans the table and rewrites the
items of the schema before it. The service keeps running meanwhile, so a migration writes each item under a condition,
and both schemas must work until it ends.

The scan's position is saved after each page. A run that was interrupted continues there; a second run at the same time
is refused until the first has been silent for LEASE_MS. Pages may repeat after a crash, so migrations are idempotent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helpdesk.platform import clock, ids
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.schema_version import SchemaVersion
from helpdesk.storage.table import ConditionFailed, Item

LEASE_MS = 300_000
PAGE_ITEMS = 500

_schemas = Collection(SchemaVersion)


class MigrationRunning(Exception):
    """Another run holds the lease."""


class SchemaTooNew(Exception):
    """The table has a schema that this version of the code does not know."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema.

    `change` rewrites one item and returns whether it did. It gets every item of the table, returns False for those that
    are not its own, and may raise ConditionFailed when the item changed since it was read. The item is then read and
    offered again.
    """

    version: int
    title: str
    change: Callable[[Item], bool]


type Report = Callable[[str], None]
"""Receives one line of progress."""


def current() -> SchemaVersion:
    """Return the table's schema; version 0 where no migration ever ran."""
    return _schemas.find() or SchemaVersion()


def pending(migrations: Sequence[Migration]) -> list[Migration]:
    """Return the migrations that the table still needs, in order. Raises SchemaTooNew."""
    version = current().version
    if version > len(migrations):
        raise SchemaTooNew
    return [migration for migration in migrations if migration.version > version]


def migrate(migrations: Sequence[Migration], report: Report) -> int:
    """Apply every pending migration; return how many items changed. Raises MigrationRunning, SchemaTooNew."""
    changed = 0
    for migration in pending(migrations):
        report(f"{migration.version}. {migration.title}")
        changed += _apply(migration, report)
    return changed


def _apply(migration: Migration, report: Report) -> int:
    owner = ids.new("run")
    position = _acquire(owner, migration).scan_position
    seen = changed = 0
    while True:
        page = table.scan(limit=PAGE_ITEMS, after=position)
        seen += len(page.items)
        changed += sum(_change(migration, item) for item in page.items)
        position = page.after
        if position is None:
            break
        _save(owner, migration.version - 1, position)
        report(f"   {seen} items read, {changed} changed")
    _save(owner, migration.version, None, finished=True)
    report(f"   done: {seen} items read, {changed} changed")
    return changed


def _change(migration: Migration, item: Item) -> bool:
    found: Item | None = item
    while found is not None:
        try:
            return migration.change(found)
        except ConditionFailed as failed:
            found = failed.item
    return False


def _acquire(owner: str, migration: Migration) -> SchemaVersion:
    """Take the lease for the migration after the table's version. Raises MigrationRunning."""
    now = clock.now_ms()
    try:
        item = table.update(
            SchemaVersion.key_for(),
            "SET #version = if_not_exists(#version, :before), #owner = :owner, leaseUntil = :until",
            condition="attribute_not_exists(PK) OR (#version = :before AND leaseUntil < :now)",
            names={"#version": "version", "#owner": "owner"},
            values={
                ":before": migration.version - 1,
                ":owner": owner,
                ":until": now + LEASE_MS,
                ":now": now,
            },
            returning="ALL_NEW",
        )
    except ConditionFailed:
        raise MigrationRunning from None
    return SchemaVersion.from_item(item)


def _save(owner: str, version: int, position: Item | None, *, finished: bool = False) -> None:
    """Save how far the run came and renew its lease. Raises MigrationRunning when another run took it over."""
    lease_until = 0 if finished else clock.now_ms() + LEASE_MS
    try:
        table.change(
            SchemaVersion.key_for(),
            set={"version": version, "scan_position": position, "lease_until": lease_until},
            require={"owner": owner},
        )
    except ConditionFailed:
        raise MigrationRunning from None
