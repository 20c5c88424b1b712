"""The table's stream: keep the rows that analytics reads."""

from typing import Any

from helpdesk.analytics.stream import write_rows
from helpdesk.platform.queues import BatchResponse, batch_response
from helpdesk.platform.settings import declare

NEEDS = declare("FACTS_DEAD_LETTERS_URL", "ANALYTICS_EXPORT")


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Write the rows of a batch of stream records; report those that failed, so that only they are repeated."""
    return batch_response(write_rows(event["Records"]))
