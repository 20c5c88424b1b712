"""Checks the sentences of a request: names, languages, length and placeholders."""

import re
from collections.abc import Mapping

from helpdesk.api.http.unknown_names import unknown_field
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed, without_hidden
from helpdesk.visitor_texts.catalog import MAX_TEXT_BYTES, MAX_TEXT_CHARACTERS, PLACEHOLDERS, TextName
from helpdesk.visitor_texts.languages import LANGUAGES, Language, known
from helpdesk.visitor_texts.texts import TextKey, VisitorTexts, defaults

_IN_BRACES = re.compile(r"\{[^{}]*\}")

type SentTexts = Mapping[str, Mapping[str, str | None] | None]


def changes(sent: SentTexts | None, present: VisitorTexts) -> dict[TextKey, str | None]:
    """Return the sentences that a request changes; None removes an organization's own sentence.

    Null for `texts`, a name or a language, and a text that equals the default, return to the default. Raises
    InvalidRequest.
    """
    wanted: dict[TextKey, str | None]
    wanted = dict.fromkeys(present.own) if sent is None else _checked(sent)
    return {key: text for key, text in wanted.items() if present.own.get(key) != text}


def _checked(sent: SentTexts) -> dict[TextKey, str | None]:
    checked: dict[TextKey, str | None] = {}
    for given_name, by_language in sent.items():
        name = _name(given_name)
        if by_language is None:
            checked |= {(name, language): None for language in LANGUAGES}
            continue
        for code, text in by_language.items():
            language = _language(name, code)
            clean = None if text is None else _clean(text, name, language)
            checked[name, language] = None if clean == defaults(language)[name] else clean
    return checked


def _name(given: str) -> TextName:
    try:
        return TextName(given)
    except ValueError:
        raise InvalidRequest(unknown_field("texts", given, list(TextName))) from None


def _language(name: TextName, code: str) -> Language:
    language = known(code)
    if language is None:
        raise InvalidRequest(unknown_field(f"texts.{name}", code, LANGUAGES))
    return language


def _clean(text: str, name: TextName, language: Language) -> str:
    """Return a text as it is stored: trimmed, without hidden characters."""
    path = f"`texts.{name}.{language}`"
    clean = trimmed("\n".join(without_hidden(line) for line in text.splitlines()))
    if is_blank(clean):
        raise InvalidRequest(f"{path} must not be blank. To restore the default, send null.")
    if len(clean) > MAX_TEXT_CHARACTERS:
        raise InvalidRequest(f"{path} must be at most {MAX_TEXT_CHARACTERS} characters.")
    if len(clean.encode()) > MAX_TEXT_BYTES:
        raise InvalidRequest(f"{path} must be at most {MAX_TEXT_BYTES:,} bytes in UTF-8.")
    _require_placeholders(clean, name, path)
    return clean


def _require_placeholders(text: str, name: TextName, path: str) -> None:
    placeholders = PLACEHOLDERS[name]
    found = _IN_BRACES.findall(text)
    rest = _IN_BRACES.sub("", text)
    allowed = sorted(f"{{{each}}}" for each in placeholders.allowed)
    offered = f"Placeholders of this text: {', '.join(allowed)}." if allowed else "This text has none."
    unknown = next((each for each in found if each not in allowed), None)
    if unknown is not None:
        raise InvalidRequest(f"{path} has the unknown placeholder {unknown}. {offered}")
    if "{" in rest or "}" in rest:
        raise InvalidRequest(f"{path} has a single brace. Braces enclose a placeholder. {offered}")
    missing = sorted(placeholders.required - {each[1:-1] for each in found})
    if missing:
        raise InvalidRequest(f"{path} must have the placeholder {{{missing[0]}}}.")
