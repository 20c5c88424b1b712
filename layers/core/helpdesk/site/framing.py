"""What the pages of the chat widget have in their frame, and the pages on the site don't."""

from collections.abc import Mapping, Sequence

from helpdesk.agent.record import AgentSettings
from helpdesk.site import assets
from helpdesk.site.visit import Visit
from helpdesk.storage.stored import Key
from helpdesk.visitor_texts.catalog import TextName


def agent_key(organization: str, _: Mapping[str, str]) -> Sequence[Key]:
    """Return the key of the agent's settings: a page of the widget reads them with its site."""
    return (AgentSettings.key_for(organization),)


def agent_of(visit: Visit) -> AgentSettings:
    """Return the agent's settings, the defaults for what nobody has changed."""
    item = visit.found.get(AgentSettings.key_for(visit.organization))
    return AgentSettings(organization=visit.organization) if item is None else AgentSettings.from_item(item)


def context(visit: Visit, template: str) -> dict[str, object]:
    """Return the values that only templates of the widget have. Those of the site's pages come with them."""
    settings = visit.site.settings
    # Without the organization's own style sheet, which is for the pages of a site.
    styles = [*assets.styles_of(settings, own=False), assets.style_path("frame")]
    agent = agent_of(visit)
    sentences = agent.texts.in_language(visit.language)
    return {
        "agent_name": agent.name,
        "attach": sentences.write(TextName.WIDGET_FILES),
        "too_large": sentences.write(TextName.REFUSAL_FILE_SIZE),
        "styles": [visit.link(path) for path in styles],
        "frame_script": visit.link(assets.script_path("frame")),
        "widget": {"origins": list(settings.widget_origins), "root": visit.root, "name": template},
        "elsewhere": visit.link("/contact") if settings.enabled and settings.show_contact else None,
    }
