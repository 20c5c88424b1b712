"""Recognizing that a visitor asks for a person, and in which languages they do.

Rules rather than a model: the request must be granted whatever answers. The patterns are data (`languages/`).
"""

import re
from collections.abc import Iterator

from helpdesk.agent import language_data
from helpdesk.agent.text_normalization import normalize
from helpdesk.visitor_texts.languages import Language

# English is matched as it was written, the other languages without accents.
_ENGLISH = tuple(re.compile(pattern, re.IGNORECASE) for pattern in language_data.load("en").handoff)
_OTHERS = {
    code: tuple(re.compile(pattern) for pattern in language_data.load(code).handoff)
    for code in language_data.CODES
    if code != "en"
}


def requests_human(text: str) -> bool:
    """Return whether a visitor asks to be answered by a person."""
    return any(True for _ in _languages(text))


def languages_of_request(text: str) -> frozenset[Language]:
    """Return the languages in which a text asks for a person. A word such as "agent" does so in several."""
    return frozenset(_languages(text))


def _languages(text: str) -> Iterator[Language]:
    straight = text.replace("’", "'")
    if any(pattern.search(straight) for pattern in _ENGLISH):
        yield "en"
    normalized = normalize(text)
    for code, patterns in _OTHERS.items():
        if any(pattern.search(normalized) for pattern in patterns):
            yield code
