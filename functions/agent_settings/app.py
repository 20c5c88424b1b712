"""/v1/agent, /v1/widget: how the agent behaves, and what a chat widget shows."""

from helpdesk.accounts.quotas.errors import BudgetExceeded
from helpdesk.agent import service as agent
from helpdesk.agent.errors import InvalidName, InvalidPersonality
from helpdesk.agent.schemas import (
    AgentQuery,
    AgentSettingsChange,
    AgentSettingsWithTexts,
    TestAnswer,
    TestQuestion,
    WidgetQuery,
    WidgetSettings,
)
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.content import BaseUrl
from helpdesk.api.routing.api import Api
from helpdesk.platform.settings import declare

NEEDS = declare(
    "BASE_URL",
    "KNOWLEDGE_BUCKET",
    "AGENT_MODEL_ID",
    "EMBEDDING_MODEL_ID",
    "GUARDRAIL_ID",
    "GUARDRAIL_VERSION",
    "BEDROCK_ENDPOINT_URL",
)

api = Api()


@api.get("/v1/agent", access=Access.MEMBER)
def get_agent(caller: Caller, query: AgentQuery) -> AgentSettingsWithTexts:
    """Get the agent's settings; with `texts=true` also the sentences that visitors read."""
    return agent.get(caller.organization, with_texts=query.texts)


@api.patch("/v1/agent", access=Access.ADMIN, errors=(InvalidName, InvalidPersonality))
def update_agent(caller: Caller, change: AgentSettingsChange, query: AgentQuery) -> AgentSettingsWithTexts:
    """Update the agent's settings, and the sentences that visitors read. Only the fields you send change."""
    return agent.change(caller, change, with_texts=query.texts)


@api.post("/v1/agent/test", access=Access.MEMBER, errors=(BudgetExceeded,))
def ask_agent(caller: Caller, asked: TestQuestion, base_url: BaseUrl) -> TestAnswer:
    """Ask the agent a question to see its answer and what it found. Nothing is written, and nothing is sent."""
    # Imported here: the search libraries would make every other request of this function start slower.
    from helpdesk.agent import trial  # noqa: PLC0415

    return trial.ask(caller.organization, asked, base_url)


@api.get("/v1/widget/settings", access=Access.MEMBER)
def get_widget_settings(caller: Caller, query: WidgetQuery) -> WidgetSettings:
    """Get the widget settings. A chat widget has no credential: your server gets the settings and passes them on."""
    return agent.of_widget(caller.organization, query.language)


handler = api.handler
