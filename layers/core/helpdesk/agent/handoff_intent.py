"""Recognizing that a visitor asks for a person.

Rules rather than a model: the request must be granted whatever answers. The patterns are data (`languages/`).
"""

import re

from helpdesk.agent import language_data
from helpdesk.agent.text_normalization import normalize

# English is matched as it was written, the other languages without accents.
_ENGLISH = tuple(re.compile(pattern, re.IGNORECASE) for pattern in language_data.load("en").handoff)
_OTHERS = tuple(
    re.compile(pattern)
    for code in language_data.CODES
    if code != "en"
    for pattern in language_data.load(code).handoff
)


def requests_human(text: str) -> bool:
    """Return whether a visitor asks to be answered by a person."""
    straight = text.replace("’", "'")
    if any(pattern.search(straight) for pattern in _ENGLISH):
        return True
    normalized = normalize(text)
    return any(pattern.search(normalized) for pattern in _OTHERS)
