"""How often visitors of the help site searched in vain for what a suggestion answers.

It is computed when the team reads suggestions, so it compares words without the stemmers of the search library, which
the functions of the API do not have.
"""

import re
from collections.abc import Iterable, Sequence

from helpdesk.knowledge.stopwords import STOP_WORDS
from helpdesk.site import gaps
from helpdesk.suggestions.record import Suggestion

_WORD = re.compile(r"\w+")
_SHORTEST_STEM = 4
_LONGEST_ENDING = 3


def counts(organization: str, suggestions: Iterable[Suggestion]) -> dict[str, int]:
    """Return the number of such searches for each suggestion, by its id. One query."""
    searched = [(words_of(each.query), each.count) for each in gaps.repeated(organization)]
    return {each.id: _count(searched, each) for each in suggestions}


def words_of(text: str) -> frozenset[str]:
    """Return the words and numbers of a search or a question, without stop words."""
    return frozenset(_WORD.findall(text.casefold())) - STOP_WORDS


def looks_for(search: frozenset[str], question: frozenset[str]) -> bool:
    """Return whether a search, which is a few words, is for the answer to a question.

    All of its words are in the question. A single word is in too many, so it must be the whole question.
    """
    if not search or (len(search) == 1 and len(question) != 1):
        return False
    return all(any(_same_word(word, other) for other in question) for word in search)


def _same_word(one: str, other: str) -> bool:
    """Return whether two words are the same, or one is the other with a short ending: "exporting", "contacts"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return (
        len(short) >= _SHORTEST_STEM
        and short.isalpha()
        and long.isalpha()
        and long.startswith(short)
        and len(long) - len(short) <= _LONGEST_ENDING
    )


def _count(searched: Sequence[tuple[frozenset[str], int]], suggestion: Suggestion) -> int:
    asked = [words_of(text) for text in (suggestion.heading, *(e.question for e in suggestion.evidence))]
    return sum(count for words, count in searched if any(looks_for(words, question) for question in asked))
