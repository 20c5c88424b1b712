"""The terms of a question: its words as the index has them, their alternatives and their weights."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from helpdesk.knowledge import language
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.stopwords import ABBREVIATIONS, INCIDENTAL_WORDS, STOP_WORDS
from helpdesk.platform.record import Record
from helpdesk.search.s3_index.vectors import Floats, VectorSet

UNKNOWN_SHARE = 0.4  # of a word's weight that no document has: the point of the question, or a name in it

_WORD = re.compile(r"\w+")
# "How much is delivery?" has no word for money, and "how" and "much" are stop words.
_HOW_MUCH = re.compile(r"\bhow much (?:is|are|does|do|for|to|will|would)\b", re.IGNORECASE)
_MONEY = ("cost", "price", "fee", "charg")
_PLURAL_NUMBER = re.compile(r"^(\d+)s$")  # "429s"


class Term(Record):
    """A word of the question as the index has it.

    `alternatives` are the forms that count for it, each with its share. `weight` is its importance: its inverse
    document frequency, or 0 for a detail of the visitor's own case.
    """

    text: str
    alternatives: Mapping[str, float]
    weight: float


class Corpus(Protocol):
    """The index as retrieval sees it."""

    @property
    def sections(self) -> int:
        """The number of sections."""

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the sections."""

    @property
    def vectors(self) -> VectorSet:
        """The vectors of sections in the languages that the model knows."""

    def frequency(self, term: str) -> int:
        """Return how many sections hold a term."""

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words by BM25, best first. Each word is given by its terms and their weights."""

    def nearest(self, similarities: Floats, limit: int) -> list[tuple[str, int]]:
        """Return documents and sections whose vectors have the highest similarities, best first."""

    def sections_by_key(
        self, keys: Collection[tuple[str, int]], words: Sequence[Mapping[str, float]]
    ) -> list[Hit]:
        """Return sections by document and position, with their BM25 scores for words."""


def terms_of(corpus: Corpus, question: str, spoken: str) -> list[Term]:
    """Return the terms of a question in a language. A question of stop words alone has none."""
    found: dict[str, Term] = {}
    if spoken == language.ENGLISH and _HOW_MUCH.search(question):
        known = [text for text in _MONEY if corpus.frequency(text)]
        if known:
            found[known[0]] = Term(
                known[0], dict.fromkeys(known, 1.0), min(rarity(corpus, text) for text in known)
            )
    for word in words_of(question, spoken):
        for text in language.terms(word, spoken):
            if text not in found:
                found[text] = _term(corpus, word, text)
    return list(found.values())


def wanted(terms: Sequence[Term]) -> list[Mapping[str, float]]:
    """Return the forms to search for, by word."""
    return [term.alternatives for term in terms]


def coverage(terms: Sequence[Term], held: Collection[str]) -> float:
    """Return the share of the weight of a question's terms that are among `held`; 0 for a question without any."""
    total = sum(term.weight for term in terms)
    if not total:
        return 0.0
    return sum(term.weight * _share(term, held) for term in terms) / total


def relevance(terms: Sequence[Term], held: Collection[str]) -> float:
    """Return the weight of the question's terms that are among `held`."""
    return sum(term.weight * _share(term, held) for term in terms)


def words_of(text: str, spoken: str) -> list[str]:
    """Return the words of a text without stop words, with abbreviations written out."""
    plain = (_PLURAL_NUMBER.sub(r"\1", word) for word in _WORD.findall(text.lower()))
    if spoken != language.ENGLISH:
        return [word for word in plain if not language.is_stop_word(word, spoken)]
    written = (ABBREVIATIONS.get(word, word) for word in plain)
    return [word for words in written for word in words.split() if word not in STOP_WORDS]


def rarity(corpus: Corpus, text: str) -> float:
    """Return a term's inverse document frequency, by the formula of BM25."""
    frequency = corpus.frequency(text)
    return math.log(1 + (corpus.sections - frequency + 0.5) / (frequency + 0.5))


def _share(term: Term, held: Collection[str]) -> float:
    return max((share for form, share in term.alternatives.items() if form in held), default=0.0)


def _term(corpus: Corpus, word: str, text: str) -> Term:
    if corpus.frequency(text):
        return Term(text, {text: 1.0}, rarity(corpus, text))
    # A number or a day that no document has is a detail of the visitor's case: an order number, when they ordered.
    incidental = word in INCIDENTAL_WORDS or len(word) == 1 or any(map(str.isdigit, word))
    return Term(text, {text: 1.0}, 0.0 if incidental else UNKNOWN_SHARE * rarity(corpus, text))
