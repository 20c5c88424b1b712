"""Every five minutes: queue again what was lost on the way to a webhook endpoint or a queue."""

from typing import Any

from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import QUEUES, declare
from helpdesk.webhooks.delivery import reconciling

NEEDS = declare(*QUEUES, "DEAD_LETTERS_URL")

_RESERVE_MS = 10_000  # for the page that is under way when the time is over


def handler(_event: object, context: Any) -> None:
    """Reconcile until shortly before the timeout. The next run makes up for one that is missed or fails."""
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    repairs = reconciling.reconcile(until)
    logger.info("reconciled", extra={"fannedOut": repairs.fanned_out, "enqueued": repairs.enqueued})
