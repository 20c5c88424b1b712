"""Reading and changing the agent's settings (Specification: Agent settings)."""

from helpdesk.admission.caller import Caller
from helpdesk.agent import repository
from helpdesk.agent.errors import (
    MAX_NAME_CHARACTERS,
    MAX_PERSONALITY_CHARACTERS,
    MIN_NAME_CHARACTERS,
    InvalidName,
    InvalidPersonality,
)
from helpdesk.agent.schemas import AgentSettings, AgentSettingsChange, WidgetSettings
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import service as organizations
from helpdesk.platform.text import as_name, is_blank, trimmed


def get(organization: str) -> AgentSettings:
    """Return the organization's settings, the defaults for those that nobody has changed."""
    return repository.get(organization)


def of_widget(organization: str) -> WidgetSettings:
    """Return the settings of the organization's chat widget."""
    own = repository.get(organization)
    return WidgetSettings(
        agent_name=own.name,
        require_email=own.require_email,
        message_preview=own.message_preview,
        show_branding=organizations.shows_branding(organization),
    )


def change(caller: Caller, wanted: AgentSettingsChange) -> AgentSettings:
    """Change the settings that were sent, and return all settings. Without a change, nothing is written.

    Raises InvalidName, InvalidPersonality.
    """
    checked = {
        "name": None if wanted.name is None else _require_name(wanted.name),
        "personality": None if wanted.personality is None else _require_personality(wanted.personality),
    }
    sent = wanted.model_copy(update=checked).model_dump(by_alias=True, exclude_none=True)
    present = repository.get(caller.organization).model_dump(by_alias=True)
    changed = {name: value for name, value in sent.items() if value != present[name]}
    if changed:
        entry = logs.entry(
            caller.organization,
            LogKind.SETTINGS_CHANGED,
            actor=caller.actor,
            summary=f"The agent's settings were changed: {', '.join(changed)}.",
            settings=list(changed),
        )
        repository.change(caller.organization, changed, entry)
    return AgentSettings.model_validate(present | changed)


def _require_name(text: str) -> str:
    name = " ".join(as_name(text).split())  # it is shown above every message
    if not MIN_NAME_CHARACTERS <= len(name) <= MAX_NAME_CHARACTERS:
        raise InvalidName
    return name


def _require_personality(text: str) -> str:
    personality = "" if is_blank(text) else trimmed(text)
    if len(personality) > MAX_PERSONALITY_CHARACTERS:
        raise InvalidPersonality
    return personality
