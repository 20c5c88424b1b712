"""Which partitions of rows have changed, for the export: a mark for each partition and day on which it was written.

A mark of a day that is over is complete. So an export that reads a partition after that day has all of its changes, and
what is written meanwhile has a mark of the new day.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from helpdesk.analytics.rows import AnalyticsChange
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import shards, table
from helpdesk.storage.table import Item

_KEPT_SECONDS = 60 * DAY_SECONDS
_PAGE = 200
_MAX_NOTED = 10_000
_noted: set[tuple[str, str, str, str]] = set()


def note(organization: str, dataset: str, month: str) -> None:
    """Note that rows of a month are about to be written or removed. Once a day for each execution environment."""
    if not settings().exports_analytics:
        return
    known = (today(), organization, dataset, month)
    if known in _noted:
        return
    mark(*known)
    if len(_noted) >= _MAX_NOTED:
        _noted.clear()
    _noted.add(known)


def mark(day: str, organization: str, dataset: str, month: str) -> None:
    """Mark a partition as changed on a day (UTC, `2026-11-23`)."""
    key = AnalyticsChange.key_for(str(shards.shard_of(organization)), day, organization, dataset, month)
    table.change(key, set={"expires_at": clock.seconds_from_now(_KEPT_SECONDS)}, or_new=True)


def complete(turn: int, until: int) -> Iterator[AnalyticsChange]:
    """Yield the marks of days that are over, until the instant `until` (ms)."""
    before = today()

    def read(shard: int, after: Item | None) -> tuple[list[AnalyticsChange], Item | None]:
        first = AnalyticsChange.key_for(str(shard), "0", "-", "-", "-")
        last = AnalyticsChange.key_for(str(shard), before, "-", "-", "-")
        page = table.query(first.pk, sk_between=(first.sk, last.sk), limit=_PAGE, after=after)
        return [AnalyticsChange.from_item(item) for item in page.items], page.after

    for page in shards.pages(read, turn, until):
        yield from page


def today() -> str:
    """Return the day (UTC) as `2026-11-23`."""
    return f"{datetime.fromtimestamp(clock.now_ms() / 1_000, UTC):%Y-%m-%d}"
