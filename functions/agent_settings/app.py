"""/v1/agent, /v1/widget: how the agent behaves, and what a chat widget shows."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.agent import settings as agent_settings
from helpdesk.agent.errors import InvalidName, InvalidPersonality
from helpdesk.agent.schemas import AgentSettings, AgentSettingsChange, WidgetSettings
from helpdesk.routing.api import Api

api = Api()


@api.get("/v1/agent", access=Access.MEMBER)
def get_agent(caller: Caller) -> AgentSettings:
    """Return the agent's settings."""
    return agent_settings.get(caller.organization)


@api.patch("/v1/agent", access=Access.ADMIN, errors=(InvalidName, InvalidPersonality))
def update_agent(caller: Caller, change: AgentSettingsChange) -> AgentSettings:
    """Change the settings that are sent; the others stay."""
    return agent_settings.change(caller, change)


@api.get("/v1/widget/settings", access=Access.MEMBER)
def get_widget_settings(caller: Caller) -> WidgetSettings:
    """Return what a chat widget shows. It has no credential: your server asks, and hands it on."""
    return agent_settings.of_widget(caller.organization)


handler = api.handler
