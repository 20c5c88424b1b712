"""Each night: resolve conversations that the agent finished, for organizations that have this switched on."""

from typing import Any

from helpdesk.agent import auto_resolve
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import declare

NEEDS = declare()

_RESERVE_MS = 20_000  # for the page that is under way when the time is over


def handler(_event: object, context: Any) -> None:
    """Resolve conversations for as long as the function may run; the night's next run continues."""
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    run = auto_resolve.run(until)
    logger.info("auto_resolve_run", extra={"resolved": run.resolved, "done": run.done})
