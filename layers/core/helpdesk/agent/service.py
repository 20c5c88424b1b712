"""Reading and changing the agent's settings, and the sentences that visitors read (Specification: Agent settings)."""

from collections.abc import Mapping

from helpdesk.accounts.organizations import service as organizations
from helpdesk.agent import repository
from helpdesk.agent.errors import (
    MAX_NAME_CHARACTERS,
    MAX_PERSONALITY_CHARACTERS,
    MIN_NAME_CHARACTERS,
    InvalidName,
    InvalidPersonality,
)
from helpdesk.agent.schemas import AgentSettings, AgentSettingsChange, AgentSettingsWithTexts, WidgetSettings
from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.visitor_texts import checking
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, preferred
from helpdesk.visitor_texts.texts import TextKey, VisitorTexts


def get(organization: str, *, with_texts: bool) -> AgentSettingsWithTexts:
    """Return the organization's settings and sentences, the defaults for those that nobody has changed."""
    return _answer(*repository.get_with_texts(organization), with_texts=with_texts)


def settings_of(organization: str) -> AgentSettings:
    """Return the organization's settings without the sentences. One call."""
    return repository.get(organization)


def texts(organization: str) -> VisitorTexts:
    """Return the sentences that the organization's visitors read. One call."""
    return repository.get_texts(organization)


def of_widget(organization: str, language: str | None) -> WidgetSettings:
    """Return the settings of the organization's chat widget, with its sentences in the visitor's language.

    `language` is a locale or an Accept-Language header; without a known language the organization's own is used.
    """
    own, visitor_texts = repository.get_with_texts(organization)
    sentences = visitor_texts.in_language(preferred(language) or visitor_texts.language)
    return WidgetSettings(
        agent_name=own.name,
        require_email=own.require_email,
        message_preview=own.message_preview,
        show_branding=organizations.shows_branding(organization),
        language=sentences.language,
        texts=sentences.of_widget(),
    )


def change(caller: Caller, wanted: AgentSettingsChange, *, with_texts: bool) -> AgentSettingsWithTexts:
    """Change the settings and sentences that were sent, and return all. Without a change, nothing is written.

    Raises InvalidName, InvalidPersonality, InvalidRequest.
    """
    resets_language = "language" in wanted.model_fields_set and wanted.language is None
    checked = {
        "name": None if wanted.name is None else _require_name(wanted.name),
        "personality": None if wanted.personality is None else _require_personality(wanted.personality),
        "language": DEFAULT_LANGUAGE if resets_language else wanted.language,
    }
    sent = wanted.model_copy(update=checked).model_dump(by_alias=True, exclude_none=True, exclude={"texts"})
    settings, present_texts = repository.get_with_texts(caller.organization)
    present = settings.model_dump(by_alias=True)
    changed = {name: value for name, value in sent.items() if value != present[name]}
    sends_texts = "texts" in wanted.model_fields_set
    changed_texts = checking.changes(wanted.texts, present_texts) if sends_texts else {}
    if changed or changed_texts:
        names = [*changed, *(["texts"] if changed_texts else [])]
        entry = logs.entry(
            caller.organization,
            LogKind.SETTINGS_CHANGED,
            actor=caller.actor,
            summary=f"The agent's settings were changed: {', '.join(names)}.",
            settings=[*changed, *(f"texts.{name}.{language}" for name, language in changed_texts)],
        )
        repository.change(caller.organization, changed, changed_texts, entry)
    after = AgentSettings.model_validate(present | changed)
    texts_after = VisitorTexts(after.language, _with_changes(present_texts, changed_texts))
    return _answer(after, texts_after, with_texts=with_texts)


def _answer(
    settings: AgentSettings, visitor_texts: VisitorTexts, *, with_texts: bool
) -> AgentSettingsWithTexts:
    return AgentSettingsWithTexts(
        **settings.model_dump(),
        texts=visitor_texts.effective() if with_texts else None,
        custom_texts=visitor_texts.customized(),
    )


def _with_changes(before: VisitorTexts, changed: Mapping[TextKey, str | None]) -> dict[TextKey, str]:
    return {key: text for key, text in {**before.own, **changed}.items() if text is not None}


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
