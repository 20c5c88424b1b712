"""The terms of a question: its words as the index has them, their alternatives and their weights."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.stopwords import LOW_WEIGHT_WORDS, STOP_WORDS
from helpdesk.knowledge.thesaurus import ABBREVIATIONS
from helpdesk.platform.frozen_record import FrozenRecord

SYNONYM_SHARE = 0.85  # of a word's weight, for a synonym in its place
MISTYPED_SHARE = 0.8  # of an unknown word's weight, for a known word that differs by one typing error
UNKNOWN_SHARE = 0.6  # weight of a word that no document has: the point of the question, or a typing error
LOW_WEIGHT_SHARE = 0.4  # weight of a common word
COMMON_SHARE = 0.3  # how far the weight of a rare word moves to that of its commonest synonym
SHORTEST_MISTYPED = 5  # letters; shorter words are not corrected

_PLURAL_NUMBER = re.compile(r"^(\d+)s$")  # "429s"


class Term(FrozenRecord):
    """A word of the question as the index has it.

    `alternatives` are the forms that count for it, each with its share. `weight` is its importance.
    """

    text: str
    alternatives: Mapping[str, float]
    weight: float


class Corpus(Protocol):
    """The index as retrieval sees it."""

    @property
    def sections(self) -> int:
        """The number of sections."""

    def terms(self, text: str) -> list[str]:
        """Return a text's terms."""

    def frequency(self, term: str) -> int:
        """Return how many sections hold a term."""

    def synonyms(self, term: str) -> frozenset[str]:
        """Return the synonyms of a term, whether any section holds them or not."""

    def terms_with_prefix(self, prefix: str) -> list[str]:
        """Return terms that begin with a prefix, the commonest first."""

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words, best first. Each word is given by its terms and their weights."""


def terms_of(corpus: Corpus, question: str) -> list[Term]:
    """Return the terms of a question. A question of stop words alone has none."""
    found: dict[str, Term] = {}
    for word in words_of(question):
        for text in corpus.terms(word):
            if text not in found:
                found[text] = _term(corpus, word, text)
    return list(found.values())


def wanted(corpus: Corpus, terms: Sequence[Term]) -> list[dict[str, float]]:
    """Return the forms to search for, by word, weighted so that none counts more than the word."""
    return [
        {form: share * term.weight / rarity(corpus, form) for form, share in term.alternatives.items()}
        for term in terms
    ]


def words_of(text: str) -> list[str]:
    """Return the words of a text without stop words, with abbreviations written out."""
    plain = (_PLURAL_NUMBER.sub(r"\1", word) for word in re.findall(r"\w+", text.lower()))
    written = (ABBREVIATIONS.get(word, word) for word in plain)
    return [word for words in written for word in words.split() if word not in STOP_WORDS]


def rarity(corpus: Corpus, text: str) -> float:
    """Return a term's inverse document frequency, by the formula of BM25."""
    frequency = corpus.frequency(text)
    return math.log(1 + (corpus.sections - frequency + 0.5) / (frequency + 0.5))


def _term(corpus: Corpus, word: str, text: str) -> Term:
    known = corpus.frequency(text) > 0
    synonyms = {form for form in corpus.synonyms(text) if corpus.frequency(form)}
    alternatives = {text: 1.0} | dict.fromkeys(synonyms, SYNONYM_SHARE)
    if not known and not synonyms:
        alternatives |= dict.fromkeys(_corrections(corpus, text), MISTYPED_SHARE)
    weight = rarity(corpus, text)
    others = [rarity(corpus, form) for form in alternatives if form != text]
    if others:
        weight += COMMON_SHARE * min(0.0, min(others) - weight)
    elif not known:
        weight *= UNKNOWN_SHARE
    return Term(text, alternatives, weight * (LOW_WEIGHT_SHARE if word in LOW_WEIGHT_WORDS else 1.0))


def _corrections(corpus: Corpus, text: str) -> list[str]:
    """Return known terms that differ from an unknown one by one letter: inserted, left out, replaced or swapped."""
    if len(text) < SHORTEST_MISTYPED or not text.isalpha():
        return []
    return [known for known in corpus.terms_with_prefix(text[:2]) if _one_edit_apart(text, known)][:2]


def _one_edit_apart(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or len(other) < SHORTEST_MISTYPED - 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True  # one is the other with one more letter at its end
    tail, other_tail = one[start:], other[start:]
    exchanged = tail[:2] == other_tail[1::-1] and tail[2:] == other_tail[2:]
    return exchanged or tail[1:] == other_tail[1:] or tail[1:] == other_tail or tail == other_tail[1:]
