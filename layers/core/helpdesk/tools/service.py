"""The rules of tools and tool endpoints (Specification: Tool endpoints)."""

from helpdesk.tools import repository
from helpdesk.tools.records import Tool


def enabled(organization: str) -> list[Tool]:
    """Return the tools that the agent may call, by name."""
    return repository.enabled(organization)


def find(organization: str, name: str) -> Tool | None:
    """Return the tool with this name, enabled or not; None if no connected endpoint declares it."""
    return repository.find(organization, name)
