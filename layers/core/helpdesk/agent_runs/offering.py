"""Which built-in tools a run has, by the organization's settings."""

from helpdesk.agent.answerer import Prepared
from helpdesk.agent_runs import suggesting
from helpdesk.agent_runs.built_in import BuiltIn, BuiltIns
from helpdesk.agent_runs.prompts import FILE_SIGNAL, SUGGEST
from helpdesk.agent_runs.signalling import Signalling


def built_in(prepared: Prepared, *, has_tools: bool) -> BuiltIns:
    """Return the built-in tools for a visitor's message. Suggestions come from the results of tools."""
    chosen = prepared.question.settings
    found: dict[str, BuiltIn] = {}
    if chosen.suggest_knowledge and has_tools:
        found[SUGGEST] = suggesting.filing(prepared)
    if chosen.file_signals:
        found[FILE_SIGNAL] = Signalling(prepared)
    return found
