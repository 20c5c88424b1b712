"""Recognizing what a visitor wants, by rules and without a model: a person, or to close the conversation.

A request for a person must be granted whatever answers. A message closes a conversation only if every word of it is
known to be thanks, relief or politeness. A question, a condition or an unknown word means that the visitor says more.
The patterns of each language are data (`languages/`).
"""

import re
from collections.abc import Iterator

from helpdesk.agent import language_data
from helpdesk.agent.language_data import normalize
from helpdesk.visitor_texts.languages import Language

MAX_CHARACTERS = 200

_LANGUAGES = tuple(language_data.load(code) for code in language_data.CODES)
_CLOSING = re.compile("|".join(phrase for language in _LANGUAGES for phrase in language.closing))
_POLITE = re.compile("|".join(phrase for language in _LANGUAGES for phrase in language.polite))
_NOT_A_WORD = re.compile(r"[^\w]+")
_QUESTION_MARK = re.compile(r"[?¿؟？]")

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


def is_closing_message(text: str, agent_name: str = "") -> bool:
    """Return whether a message says that all is well and nothing else; it may address the agent by its name."""
    if len(text) > MAX_CHARACTERS or _QUESTION_MARK.search(text):
        return False
    words = " ".join(_NOT_A_WORD.sub(" ", normalize(text).replace("_", " ")).split())
    name = " ".join(_NOT_A_WORD.sub(" ", normalize(agent_name)).split())
    if name:
        words = " ".join(re.sub(rf"\b{re.escape(name)}\b", " ", words).split())
    return bool(words) and _only_known_phrases(words)


def _only_known_phrases(words: str) -> bool:
    """Return whether words consist of known phrases, at least one of which closes the conversation."""
    # By position: whether a closing phrase precedes it. Phrases overlap, so every way to split the words is tried.
    reached: dict[int, bool] = {0: False}
    for start in range(len(words)):
        if start not in reached:
            continue
        for end in range(start + 1, len(words) + 1):
            if end < len(words) and words[end] != " ":
                continue
            closes = _CLOSING.fullmatch(words, start, end) is not None
            if closes or _POLITE.fullmatch(words, start, end):
                next_start = min(end + 1, len(words))
                reached[next_start] = reached.get(next_start, False) or reached[start] or closes
    return reached.get(len(words), False)
