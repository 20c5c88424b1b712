"""Whether two questions ask the same, and whether two answers give the same guidance.

By their words. When unsure they are different: a second suggestion costs the team a click, and a question that joins
the wrong one is never answered.
"""

import re

from helpdesk.agent.conversation_language import clear_language
from helpdesk.knowledge import language
from helpdesk.knowledge.terms import words_of

SAME_QUESTION = 0.6
"""The least share of the words of both questions that both have."""
SAME_GUIDANCE = 0.5
HELD = 0.8
"""The least share of an answer's words that a text has which says the same."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|unable|\w+n't)\b", re.IGNORECASE)


def same_question(one: str, other: str) -> bool:
    """Return whether two questions ask the same."""
    return _shared(one, other) >= SAME_QUESTION and _numbers(one) == _numbers(other)


def same_guidance(one: str, other: str) -> bool:
    """Return whether two answers say the same: mostly the same words, the same numbers, and both or neither deny."""
    return (
        _shared(one, other) >= SAME_GUIDANCE
        and _numbers(one) == _numbers(other)
        and _denies(one) == _denies(other)
    )


def already_says(text: str, guidance: str) -> bool:
    """Return whether a text has nearly every word and every number of an answer."""
    wanted = _words(guidance)
    if not wanted:
        return True
    held = len(wanted & _words(text)) / len(wanted)
    return held >= HELD and _numbers(guidance) <= _numbers(text) and (_denies(text) or not _denies(guidance))


def _shared(one: str, other: str) -> float:
    words, others = _words(one), _words(other)
    return len(words & others) / len(words | others) if words and others else 0.0


def _words(text: str) -> set[str]:
    """Return the stems of the words that say something about the subject."""
    spoken = clear_language(text) or language.ENGLISH
    return set(language.terms(" ".join(words_of(text, spoken)), spoken))


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _denies(text: str) -> bool:
    return _NEGATION.search(text.replace("’", "'")) is not None
