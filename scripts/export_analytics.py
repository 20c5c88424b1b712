"""Marks every partition of analytics for the next export: for a deployment that switches the export on.

It reads the whole table for the lists of months, and writes a mark for each organization, dataset and month.
"""

import sys

from helpdesk.analytics import changed_repository
from helpdesk.analytics.rows import AnalyticsMonths
from helpdesk.storage import table
from helpdesk.storage.table import Item

_PAGE = 500
_LONG_AGO = "2000-01-01"  # a day that is over, so that the next run takes them


def mark_everything() -> dict[str, int]:
    """Mark every partition that has, or had, rows; return how many those are."""
    read = marked = 0
    after: Item | None = None
    while True:
        page = table.scan(limit=_PAGE, after=after)
        for item in page.items:
            if (parts := AnalyticsMonths.parse(item["PK"], item["SK"])) is not None:
                for month in sorted(item.keys() - {"PK", "SK"}):
                    changed_repository.mark(_LONG_AGO, parts["organization"], parts["dataset"], month)
                    marked += 1
        read += len(page.items)
        print(f"{read} items read, {marked} partitions marked", file=sys.stderr)
        after = page.after
        if after is None:
            return {"read": read, "partitions": marked}
