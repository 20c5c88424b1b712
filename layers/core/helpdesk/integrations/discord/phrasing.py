"""What the bot itself says to members of a server, in the seven languages that visitors read."""

import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from helpdesk.agent import service as agent
from helpdesk.conversations.record import Conversation
from helpdesk.visitor_texts.languages import LANGUAGES, Language, preferred

_FOLDER = Path(__file__).parent / "phrases"
LOCALES: Final[dict[str, Language]] = {
    **{language: language for language in LANGUAGES if language not in {"en", "es", "pt"}},
    "es-ES": "es",
    "es-419": "es",
    "pt-BR": "pt",
}
"""The languages of Discord's locales that have phrases (Discord, "Reference", Locales). All others read English."""


class Phrase(StrEnum):
    """A phrase, as the files of the languages name it."""

    COMMAND_ASK = "commandAsk"
    COMMAND_QUESTION = "commandQuestion"
    COMMAND_CLOSE = "commandClose"
    HINT = "hint"
    ELSEWHERE = "elsewhere"
    NO_PLACE = "noPlace"
    TOO_MANY = "tooMany"
    EMPTY = "empty"
    TOO_LONG = "tooLong"
    NOTHING_OPEN = "nothingOpen"
    NOT_YOURS = "notYours"
    CLOSED = "closed"
    THREAD = "thread"


@cache
def phrases(language: Language) -> dict[Phrase, str]:
    """Return the phrases of a language."""
    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {Phrase(name): text for name, text in data.items()}


def phrase(name: Phrase, language: Language) -> str:
    """Return a phrase in a language."""
    return phrases(language)[name]


def language_of(conversation: Conversation) -> Language:
    """Return the language in which a person writes in a conversation, else that of their Discord, else of the team."""
    locale = conversation.context.locale if conversation.context else None
    return conversation.language or language_for(conversation.organization, locale)


def language_for(organization: str, locale: str | None) -> Language:
    """Return the language of a person's locale, else that of the organization. One call without a known locale."""
    return preferred(locale) or agent.settings_of(organization).language


def in_locales(name: Phrase) -> dict[str, str]:
    """Return a phrase by Discord's locales other than those of English."""
    return {locale: phrase(name, language) for locale, language in LOCALES.items()}
