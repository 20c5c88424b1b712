"""Tests of tools as items, from which analytics makes its rows. They name no conversation and expire by themselves."""

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.platform import clock, ids
from helpdesk.platform.logging import logger
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.tools.record import Risk, Tool
from helpdesk.tools.results import CallOutcome, CallResult

_KEPT_SECONDS = 2 * DAY_SECONDS  # the table's stream keeps a change for one


class ToolTestRun(Stored, kw_only=True):
    """A test of a tool: when it was made, and how it ended. Times are in ms, `expires_at` is in seconds."""

    PK, SK = "ORG#{organization}#TOOLTESTS", "TEST#{id}"
    organization: str
    id: str
    at: int
    tool: str
    title: str
    endpoint_id: str
    risk: Risk
    outcome: CallOutcome
    duration: int
    expires_at: int


def record(organization: str, tool: Tool, result: CallResult) -> None:
    """Record a test that has ended. One write. The caller gets the tool's answer even if that fails."""
    test = ToolTestRun(
        organization=organization,
        id=ids.new("tool_test"),
        at=clock.now_ms() - result.duration_ms,
        tool=tool.name,
        title=tool.declared.title or tool.name,
        endpoint_id=tool.endpoint_id,
        risk=tool.risk,
        outcome=result.outcome,
        duration=result.duration_ms,
        expires_at=clock.seconds_from_now(_KEPT_SECONDS),
    )
    try:
        table.put_new(test)
    except (ConditionFailed, Throttled, ClientError, BotoCoreError) as error:
        logger.warning("tool_test_not_recorded", extra={"tool": tool.name, "error": type(error).__name__})
