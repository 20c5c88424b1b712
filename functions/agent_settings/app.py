"""/v1/agent, /v1/widget: how the agent behaves, and what a chat widget shows."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.agent import service as agent
from helpdesk.agent.errors import InvalidName, InvalidPersonality
from helpdesk.agent.schemas import AgentSettingsChange, AgentSettingsWithTexts, WidgetQuery, WidgetSettings
from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/agent", access=Access.MEMBER)
def get_agent(caller: Caller) -> AgentSettingsWithTexts:
    """Get the agent's settings, and the sentences that visitors read."""
    return agent.get(caller.organization)


@api.patch("/v1/agent", access=Access.ADMIN, errors=(InvalidName, InvalidPersonality))
def update_agent(caller: Caller, change: AgentSettingsChange) -> AgentSettingsWithTexts:
    """Update the agent's settings, and the sentences that visitors read. Only the fields you send change."""
    return agent.change(caller, change)


@api.get("/v1/widget/settings", access=Access.MEMBER)
def get_widget_settings(caller: Caller, query: WidgetQuery) -> WidgetSettings:
    """Get the widget settings. A chat widget has no credential: your server gets the settings and passes them on."""
    return agent.of_widget(caller.organization, query.language)


handler = api.handler
