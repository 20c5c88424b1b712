"""Corrects typing errors in a question, before its words are searched for and before a model reads it.

A model splits a mistyped word into pieces that mean something else, and the index does not have it. A word is replaced
only if the documents cannot mean it as it is, and by a word that they have.
"""

import re
import string
from collections.abc import Iterator

from helpdesk.knowledge import language
from helpdesk.knowledge.stopwords import ABBREVIATIONS, INCIDENTAL_WORDS, STOP_WORDS
from helpdesk.knowledge.terms import Corpus
from helpdesk.search.embeddings import wordpiece

SHORTEST = 5
"""In letters. A shorter word is too often one edit from another that exists."""

LONGEST = 30
MOST = 10
"""The most unknown words of a question that are looked at. One with more is in another language, or is no question."""

_PIECE = re.compile(r"\S+")
_ADDRESS = re.compile(r"[./@_:\\]\w")
_WORD = re.compile(r"\w+")


def corrected(corpus: Corpus, question: str, spoken: str) -> str:
    """Return a question whose mistyped words are replaced by words of the documents.

    A word with one letter too many, too few, wrong, or swapped with the next counts as mistyped. Its first letter is
    right. A name (it has a capital letter), a part of an address or path, and a word that the documents or the
    model's vocabulary have stay as they are.
    """
    unknown = [word for word in _words(question) if _is_unknown(corpus, word[0], spoken)]
    if len(unknown) > MOST:
        return question
    text, end = "", 0
    for word in unknown:
        known = _nearest(corpus, word[0], spoken)
        if known is not None:
            text += question[end : word.start()] + known
            end = word.end()
    return text + question[end:]


def _words(question: str) -> Iterator[re.Match[str]]:
    for piece in _PIECE.finditer(question):
        if not _ADDRESS.search(piece[0]):
            yield from _WORD.finditer(question, piece.start(), piece.end())


def _is_unknown(corpus: Corpus, word: str, spoken: str) -> bool:
    if not (SHORTEST <= len(word) <= LONGEST and word.isalpha() and word.islower()):
        return False
    if spoken == language.ENGLISH and (
        word in wordpiece.vocabulary()
        or word in STOP_WORDS
        or word in INCIDENTAL_WORDS
        or word in ABBREVIATIONS
    ):
        return False
    return not any(corpus.frequency(stem) for stem in language.terms(word, spoken))


def _nearest(corpus: Corpus, word: str, spoken: str) -> str | None:
    """Return the commonest word of the documents that is one edit away, if there is any.

    The index has stems. So among words of one stem, one that the model knows is preferred: what is not a word may have
    the same stem.
    """

    def rank(edit: str) -> tuple[int, bool]:
        frequency = min((corpus.frequency(stem) for stem in language.terms(edit, spoken)), default=0)
        return frequency, edit in wordpiece.vocabulary()

    best = max(sorted(set(_edits(word))), key=rank)
    return best if rank(best)[0] else None


def _edits(word: str) -> Iterator[str]:
    """Yield what one edit after the first letter makes of a word.

    No last letter or another one makes a form of the word more often than it mends one: helper, helped.
    """
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in string.ascii_lowercase)
        if len(after) > 1:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in string.ascii_lowercase)
            yield before + after[1] + after[0] + after[2:]
