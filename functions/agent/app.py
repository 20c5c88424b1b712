"""/v1/agent: how the agent behaves."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.agent import settings as agent_settings
from helpdesk.agent.errors import InvalidName, InvalidPersonality
from helpdesk.agent.schemas import AgentSettings, AgentSettingsChange
from helpdesk.http.api import Api

api = Api()


@api.get("/v1/agent", access=Access.MEMBER)
def get_agent(caller: Caller) -> AgentSettings:
    """Return the agent's settings."""
    return agent_settings.get(caller.organization)


@api.patch("/v1/agent", access=Access.ADMIN, errors=(InvalidName, InvalidPersonality))
def update_agent(caller: Caller, change: AgentSettingsChange) -> AgentSettings:
    """Change the settings that are sent; the others stay."""
    return agent_settings.change(caller, change)


handler = api.handler
