"""Recognizing the language of a document, for `lang` and `dir` in a page whose own words are in another.

Most scripts name a language. In Latin letters it is the one whose frequent words, which the agent knows, are most of
the text's. A text in which no language is clear has none: a wrong `lang` is worse for a screen reader than no `lang`.
"""

import re
from functools import cache

from helpdesk.search.scripts import language_of_script
from helpdesk.visitor_texts.languages import LANGUAGES

_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})

_READ_CHARACTERS = 8_000
_READ_WORDS = 400
_LEAST_SHARE = 0.2
_LEAST_LEAD = 1.3
_LEAST_WORDS = 5

_NOT_PROSE = re.compile(
    r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`|<[^<>\n]*>|\]\([^()\n]*\)|(?<!\S)\S+(?:://|@)\S+",
    re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]+")


def direction(language: str | None) -> str:
    """Return the direction in which a language is written, as the attribute `dir` says it."""
    return "auto" if language is None else "rtl" if language in _RIGHT_TO_LEFT else "ltr"


def language_of(text: str) -> str | None:
    """Return the language of Markdown by its code (ISO 639-1); None where it is not clear."""
    prose = _NOT_PROSE.sub(" ", text[:_READ_CHARACTERS])
    return language_of_script(prose) or _in_latin(prose)


def _in_latin(prose: str) -> str | None:
    from helpdesk.agent.language_data import normalize  # noqa: PLC0415 - most pages render nothing

    words = _WORD.findall(normalize(prose))[:_READ_WORDS]
    counts = {code: sum(word in _words(code) for word in words) for code in LANGUAGES}
    best, second = sorted(counts, key=lambda code: -counts[code])[:2]
    is_clear = counts[best] >= max(_LEAST_WORDS, _LEAST_SHARE * len(words), _LEAST_LEAD * counts[second])
    return best if is_clear else None


@cache
def _words(code: str) -> frozenset[str]:
    from helpdesk.agent import language_data  # noqa: PLC0415

    return language_data.load(code).words
