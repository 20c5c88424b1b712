"""The terms of a question: its words as the index has them, their alternatives and their weights."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from helpdesk.knowledge import language
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.stopwords import ABBREVIATIONS, INCIDENTAL_WORDS, QUESTION_WORDS, STOP_WORDS
from helpdesk.platform.record import Record
from helpdesk.search import terms as of_text
from helpdesk.search.s3_index.vectors import Floats, VectorSet
from helpdesk.search.terms import Word

UNKNOWN_SHARE = 0.4  # of a word's weight that no document has: the point of the question, or a name in it

BEGINNING_SHARE = 0.5
"""What a longer word of the documents counts for one that they lack and with which it begins."""
SHORTEST_BEGINNING = 5
"""In letters. A word of one character in a script without spaces is one, too."""
COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
"""Languages that write several words as one."""

# A word by itself: no part of an address or of a name such as `sign-in`.
_WORD = re.compile(r"(?<![\w.@+&/\\:-])\w++(?![-._/\\:@+&]{1,3}\w|[+#])")
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

    @property
    def multilingual(self) -> VectorSet:
        """The vectors of sections by the multilingual model."""

    def frequency(self, term: str) -> int:
        """Return how many sections hold a term."""

    def terms_with_prefix(self, prefix: str) -> list[str]:
        """Return the commonest terms that begin with a prefix."""

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words by BM25, best first. Each word is given by its terms and their weights."""

    def nearest(self, of: VectorSet, similarities: Floats, limit: int) -> list[tuple[str, int]]:
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
    languages = list(dict.fromkeys([spoken, *corpus.languages]))
    for word in of_text.words_of(subject_of(question, spoken)):
        for term in _terms(corpus, word, languages):
            found.setdefault(term.text, term)
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


def words_of(text: str, spoken: str) -> set[str]:
    """Return the stems of the words of a text that say something about its subject."""
    return set(language.terms(subject_of(text, spoken), spoken))


def subject_of(text: str, spoken: str) -> str:
    """Return a text without the words that say nothing about its subject, and with abbreviations written out."""
    if spoken in QUESTION_WORDS:
        return re.sub(QUESTION_WORDS[spoken], " ", text)
    return _WORD.sub(lambda found: _said(found[0], spoken), text)


def _said(word: str, spoken: str) -> str:
    lower = word.lower()
    if spoken != language.ENGLISH:
        return "" if language.is_stop_word(lower, spoken) else word
    return "" if lower in STOP_WORDS else ABBREVIATIONS.get(lower, _PLURAL_NUMBER.sub(r"\1", word))


def rarity(corpus: Corpus, text: str) -> float:
    """Return a term's inverse document frequency, by the formula of BM25."""
    frequency = corpus.frequency(text)
    return math.log(1 + (corpus.sections - frequency + 0.5) / (frequency + 0.5))


def _share(term: Term, held: Collection[str]) -> float:
    return max((share for form, share in term.alternatives.items() if form in held), default=0.0)


def _terms(corpus: Corpus, word: Word, languages: Sequence[str]) -> Iterator[Term]:
    """Yield the terms of a word: those of its parts, and itself if the documents have it or it has no parts."""
    parts = [part for part in word.parts if _said(part, languages[0])]
    if word.whole is not None:
        whole = _term(corpus, word.whole, languages)
        if not parts or any(map(corpus.frequency, whole.alternatives)):
            yield whole
    for part in parts:
        yield _term(corpus, part, languages)


def _term(corpus: Corpus, word: str, languages: Sequence[str]) -> Term:
    """Return a word as a term. It has another stem in documents of another language."""
    stems = list(dict.fromkeys(language.stem(word, each) for each in languages))
    shares = {stem: 1.0 for stem in stems if corpus.frequency(stem)} or _beginnings(
        corpus, stems[0], languages
    )
    if shares:
        return Term(stems[0], shares, min(rarity(corpus, form) for form in shares))
    # A number or a day that no document has is a detail of the visitor's case: an order number, when they ordered.
    incidental = word in INCIDENTAL_WORDS or len(word) == 1 or any(map(str.isdigit, word))
    return Term(stems[0], {stems[0]: 1.0}, 0.0 if incidental else UNKNOWN_SHARE * rarity(corpus, stems[0]))


def _beginnings(corpus: Corpus, stem: str, languages: Sequence[str]) -> dict[str, float]:
    """Return the words of the documents that begin with one that they lack: compounds, or pairs of characters."""
    if of_text.is_one_character(Word(stem)):
        return dict.fromkeys(corpus.terms_with_prefix(stem), 1.0)
    if not COMPOUNDING.isdisjoint(languages) and len(stem) >= SHORTEST_BEGINNING and stem.isalpha():
        return dict.fromkeys(corpus.terms_with_prefix(stem), BEGINNING_SHARE)
    return {}
