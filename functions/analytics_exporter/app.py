"""Each hour of the night: export rows of analytics that changed on days that are over, as Parquet."""

from typing import Any

from helpdesk.analytics import exporting
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import declare, settings

NEEDS = declare("ANALYTICS_BUCKET")

_RESERVE_MS = 120_000  # for the partition that is under way when the time is over


class PartitionsFailed(Exception):
    """Some partitions were not exported. The next run tries them again; the function's alarm says so."""


def handler(_event: object, context: Any) -> None:
    """Export until the time is over. The next run continues. Raises PartitionsFailed."""
    if not settings().analytics_bucket:
        return
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    found = exporting.export(until)
    logger.info("analytics_exported", extra=found._asdict())
    if found.failed:
        raise PartitionsFailed(found.failed)
