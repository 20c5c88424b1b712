"""What goes in and out of the agent's settings (Specification: Agent settings)."""

from helpdesk.http.schemas import Answer, Body


class AgentSettings(Answer):
    """The settings, the answer of GET and PATCH /agent."""

    name: str
    personality: str
    auto_resolve: bool
    learn_from_threads: bool
    suggest_knowledge: bool
    nightly_sweep: bool
    file_signals: bool
    require_email: bool
    message_preview: bool


DEFAULTS = AgentSettings(
    name="Assistant",
    personality="",
    auto_resolve=False,
    learn_from_threads=True,
    suggest_knowledge=True,
    nightly_sweep=False,
    file_signals=True,
    require_email=False,
    message_preview=True,
)
"""What applies until someone edits a setting."""


class AgentSettingsChange(Body):
    """The body of PATCH /agent: what is sent changes, the rest stays."""

    name: str | None = None
    personality: str | None = None
    auto_resolve: bool | None = None
    learn_from_threads: bool | None = None
    suggest_knowledge: bool | None = None
    nightly_sweep: bool | None = None
    file_signals: bool | None = None
    require_email: bool | None = None
    message_preview: bool | None = None
