"""Recognizing the language that a visitor writes.

It uses no model. A message speaks for a language by that language's frequent words, and by a request for a person. So
it is the same on every run, and a short "ok" says nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable

from helpdesk.agent import language_data
from helpdesk.agent.intents import languages_of_request
from helpdesk.agent.language_data import normalize
from helpdesk.visitor_texts.languages import LANGUAGES, Language, preferred

READ_CHARACTERS = 600
"""How much of a message is read: a long one shows its language at its beginning."""

CLEAR_LEAD = 2
"""By how many words a language leads in a clear message."""
CHANGING_LEAD = 3
"""By how many words it leads in a message that changes the language of a conversation: "Merci beaucoup" does not."""
_LEAST_SHARE = 0.3
"""The least share of a message's words that are frequent words of its language. In prose it is about a half."""

_NOT_PROSE = re.compile(r"```.*?(?:```|$)|`[^`\n]*`|(?<!\S)\S+(?:://|@)\S+", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_WORDS = {code: language_data.load(code).words for code in LANGUAGES}


def clear_language(text: str, lead: int = CLEAR_LEAD) -> Language | None:
    """Return the language of a text that is clearly in one language, else None."""
    return _best(_votes(text), lead)


def first_clear(texts: Iterable[str], lead: int = CLEAR_LEAD) -> Language | None:
    """Return the language of the first text that is clearly in one language, None if none is."""
    return next((language for text in texts if (language := clear_language(text, lead)) is not None), None)


def likely_language(texts: Iterable[str], locale: str | None) -> Language | None:
    """Return the most likely language of texts none of which is clear, else that of the browser's locale."""
    votes: Counter[Language] = Counter()
    for text in texts:
        votes += _votes(text)
    return _best(votes, 1) or preferred(locale)


def _best(votes: Counter[Language], lead: int) -> Language | None:
    """Return the language that leads by this many votes."""
    ranked = votes.most_common(2)
    if not ranked:
        return None
    (best, count), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0
    return best if count - second >= lead else None


def _votes(text: str) -> Counter[Language]:
    """Return the votes of a text, without languages that have too small a share of its words."""
    prose = _NOT_PROSE.sub(" ", text[:READ_CHARACTERS])
    words = _WORD.findall(normalize(prose))
    least = max(1, _LEAST_SHARE * len(words))
    requested = languages_of_request(prose)
    votes: Counter[Language] = Counter()
    for language in LANGUAGES:
        count = sum(word in _WORDS[language] for word in words)
        if count >= least or language in requested:
            votes[language] = count + (language in requested)
    return votes
