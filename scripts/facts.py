"""Writes the rows of analytics that are missing (docs/guides/operating.md).

It reads the whole table. It may be stopped and started again: what is written stays, and is not written twice.
"""

import sys

from helpdesk.analytics import backfill
from helpdesk.storage import table
from helpdesk.storage.table import Item

_PAGE = 500


def write_facts(organization: str | None) -> dict[str, int]:
    """Write the rows of an organization, or of all (None); return how many items were read and how many have rows."""
    read = written = 0
    after: Item | None = None
    while True:
        page = table.scan(limit=_PAGE, after=after)
        read += len(page.items)
        written += backfill.write_rows(page.items, organization)
        print(f"{read} items read, {written} of them with rows", file=sys.stderr)
        after = page.after
        if after is None:
            return {"read": read, "written": written}
