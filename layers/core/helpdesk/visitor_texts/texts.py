"""An organization's sentences, and the sentences of one conversation, in its language."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from helpdesk.platform.record import Record
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, LANGUAGES, Language

_FOLDER = Path(__file__).parent / "defaults"
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PREFIX = "text."

type TextKey = tuple[TextName, Language]
"""One sentence in one language."""


@cache
def defaults(language: Language) -> Mapping[TextName, str]:
    """Return a language's default sentences."""
    # Imported with the first sentence: functions that sign people in import this module and write none.
    import tomllib  # noqa: PLC0415

    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {TextName(name): text for name, text in data.items()}


def attribute(key: TextKey) -> str:
    """Return the name of the attribute that holds an organization's own sentence."""
    name, language = key
    return f"{_PREFIX}{name}.{language}"


class Sentences(Record):
    """The sentences in one language."""

    language: Language
    own: Mapping[TextName, str]

    def write(self, name: TextName, **values: str) -> str:
        """Return a sentence with its placeholders filled. A value is inserted as it is, even if it has braces."""
        text = self.own.get(name) or defaults(self.language)[name]
        return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)

    def of_widget(self) -> dict[str, str]:
        """Return the sentences that a chat widget shows, by their names; the widget fills their placeholders."""
        return {name.value: self.write(name) for name in TextName if name.is_of_widget}


class VisitorTexts(Record):
    """An organization's sentences: its default language, and its own sentences in place of the defaults."""

    language: Language = DEFAULT_LANGUAGE
    own: Mapping[TextKey, str] = {}

    def in_language(self, language: Language) -> Sentences:
        """Return the sentences in a language."""
        return Sentences(language, {name: text for (name, of), text in self.own.items() if of == language})

    def effective(self) -> dict[str, dict[str, str]]:
        """Return every sentence in every language, as the API shows them."""
        every = {language: self.in_language(language) for language in LANGUAGES}
        return {
            name.value: {language: sentences.write(name) for language, sentences in every.items()}
            for name in TextName
        }

    def customized(self) -> dict[str, list[Language]]:
        """Return the languages of the organization's own sentences, by the sentences' names."""
        found: dict[str, list[Language]] = {
            name.value: [language for language in LANGUAGES if (name, language) in self.own]
            for name in TextName
        }
        return {name: languages for name, languages in found.items() if languages}


@cache
def every_key() -> tuple[TextKey, ...]:
    """Return every sentence in every language."""
    return tuple((name, language) for name in TextName for language in LANGUAGES)
