"""The check of a call's input against the tool's schema."""

from typing import Any

from helpdesk.tools import schema_rules
from helpdesk.tools.record import Tool


def problems(tool: Tool, value: Any) -> list[str]:
    """Return what is wrong with an input, as at most ten sentences that name the place; empty if it fits.

    An input that is not an object never fits.
    """
    if not isinstance(value, dict):
        return ["The input must be an object."]
    return schema_rules.problems(tool.input_schema, value)
