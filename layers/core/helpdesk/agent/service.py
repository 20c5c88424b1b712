"""Reading and changing the agent's settings, and the sentences that visitors read (Specification: Agent settings)."""

from copy import replace
from typing import Any

from pydantic.alias_generators import to_camel

from helpdesk.accounts.organizations import service as organizations
from helpdesk.agent import repository
from helpdesk.agent.errors import (
    MAX_NAME_CHARACTERS,
    MAX_PERSONALITY_CHARACTERS,
    MIN_NAME_CHARACTERS,
    InvalidName,
    InvalidPersonality,
)
from helpdesk.agent.record import AgentSettings
from helpdesk.agent.repository import settings_of
from helpdesk.agent.schemas import AgentSettingsChange, AgentSettingsWithTexts, WidgetSettings
from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts import checking
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, preferred
from helpdesk.visitor_texts.texts import attribute

__all__ = ["settings_of"]  # and everything below


def get(organization: str, *, with_texts: bool) -> AgentSettingsWithTexts:
    """Return the organization's settings and sentences, the defaults for those that nobody has changed."""
    return _answer(settings_of(organization), with_texts=with_texts)


def of_widget(organization: str, language: str | None) -> WidgetSettings:
    """Return the settings of the organization's chat widget, with its sentences in the visitor's language.

    `language` is a locale or an Accept-Language header; without a known language the organization's own is used.
    """
    own = settings_of(organization)
    sentences = own.texts.in_language(preferred(language) or own.language)
    return WidgetSettings(
        agent_name=own.name,
        require_email=own.require_email,
        message_preview=own.message_preview,
        show_branding=organizations.get(organization).show_branding,
        language=sentences.language,
        texts=sentences.of_widget(),
    )


def change(caller: Caller, wanted: AgentSettingsChange, *, with_texts: bool) -> AgentSettingsWithTexts:
    """Change the settings and sentences that were sent, and return all. Without a change, nothing is written.

    Raises InvalidName, InvalidPersonality, InvalidRequest.
    """
    seen = settings_of(caller.organization)
    changed = {name: value for name, value in _sent(wanted).items() if value != getattr(seen, name)}
    sends_texts = "texts" in wanted.model_fields_set
    changed_texts = checking.changes(wanted.texts, seen.texts) if sends_texts else {}
    own = {**seen.own_texts, **{attribute(key): text for key, text in changed_texts.items()}}
    after = replace(seen, **changed, own_texts={name: text for name, text in own.items() if text is not None})
    if changed or changed_texts:
        names = [to_camel(name) for name in changed]
        shown = [*names, "texts"] if changed_texts else names
        transaction = Transaction()
        repository.change(transaction, seen, after)
        transaction.put(
            logs.entry(
                caller.organization,
                LogKind.SETTINGS_CHANGED,
                actor=caller.actor,
                summary=f"The agent's settings were changed: {', '.join(shown)}.",
                settings=[*names, *(f"texts.{name}.{language}" for name, language in changed_texts)],
            ),
            new=True,
        )
        transaction.commit()
    return _answer(after, with_texts=with_texts)


def _sent(wanted: AgentSettingsChange) -> dict[str, Any]:
    """Return the settings that a request sends. Raises InvalidName, InvalidPersonality."""
    resets_language = "language" in wanted.model_fields_set and wanted.language is None
    checked = {
        "name": None if wanted.name is None else _require_name(wanted.name),
        "personality": None if wanted.personality is None else _require_personality(wanted.personality),
        "language": DEFAULT_LANGUAGE if resets_language else wanted.language,
    }
    return wanted.model_copy(update=checked).model_dump(exclude_none=True, exclude={"texts"})


def _answer(settings: AgentSettings, *, with_texts: bool) -> AgentSettingsWithTexts:
    texts = settings.texts
    return AgentSettingsWithTexts.from_record(
        settings, texts=texts.effective() if with_texts else None, custom_texts=texts.customized()
    )


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
