"""Tests of tools as items, from which analytics makes its rows. They name no conversation and expire by themselves."""

from typing import Self

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.approvals.risk import Risk
from helpdesk.platform import clock, ids
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item, Throttled
from helpdesk.tools.record import Tool
from helpdesk.tools.results import CallOutcome, CallResult

_KEPT_SECONDS = 2 * DAY_SECONDS  # the table's stream keeps a change for one


class ToolTestRun(Record):
    """A test of a tool: when it was made, and how it ended. Times are in ms."""

    id: str
    at: int
    tool: str
    title: str
    endpoint_id: str
    risk: Risk
    outcome: CallOutcome
    duration: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the item of a test."""
        return cls(
            item["id"],
            item["at"],
            item["tool"],
            item["title"],
            item["endpointId"],
            Risk(item["risk"]),
            CallOutcome(item["outcome"]),
            item["duration"],
        )

    def to_item(self, organization: str) -> Item:
        """Return the item of the test."""
        return {
            **keys.ToolTest(organization, self.id).attributes(),
            "id": self.id,
            "at": self.at,
            "tool": self.tool,
            "title": self.title,
            "endpointId": self.endpoint_id,
            "risk": self.risk.value,
            "outcome": self.outcome.value,
            "duration": self.duration,
            "expiresAt": clock.seconds_from_now(_KEPT_SECONDS),
        }


def note(organization: str, tool: Tool, result: CallResult) -> None:
    """Write the item of a test that has ended. One write. The caller gets the tool's answer even if that fails."""
    test = ToolTestRun(
        ids.new("tool_test"),
        clock.now_ms() - result.duration_ms,
        tool.name,
        tool.declared.title or tool.name,
        tool.endpoint_id,
        tool.risk,
        result.outcome,
        result.duration_ms,
    )
    try:
        table.put_new(test.to_item(organization))
    except (ConditionFailed, Throttled, ClientError, BotoCoreError) as error:
        logger.warning("tool_test_not_noted", extra={"tool": tool.name, "error": type(error).__name__})
