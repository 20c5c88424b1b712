"""The table's stream: keep the rows that analytics reads."""

from typing import Any

from helpdesk.analytics.stream import write_rows
from helpdesk.platform.settings import declare

NEEDS = declare("FACTS_DEAD_LETTERS_URL", "ANALYTICS_EXPORT")


def handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Write the rows of a batch of stream records; report those that failed, so that only they are repeated."""
    failed = write_rows(event["Records"])
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in failed]}
