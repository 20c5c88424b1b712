"""Which section answers a question best, and how far it may be trusted, from 0 to 1.

BM25's numbers grow with the question's length and the corpus, so no threshold on them means the same twice. Here six
signs of each section, shares from 0 to about 1, are weighed twice: once for the order of sections, and once, together
with the length of the question and the lead over other documents, for trust. The weights are fitted to the tuning half
of docs/evaluation/questions.json by `python -m scripts.evaluation fit`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Protocol

from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.questions import FAINT_WORDS, STOP_WORDS
from helpdesk.knowledge.thesaurus import ABBREVIATIONS

SYNONYM_SHARE = 0.85  # what a synonym counts of the word that was asked for
MISTYPED_SHARE = 0.8  # what the word counts that an unknown one is a slip of
BODY_SHARE = 0.7  # what a term counts that is in the text, but in neither heading nor title
UNKNOWN_SHARE = 0.6  # what a word weighs that no document has: it may be the point of the question, or a slip
FAINT_SHARE = 0.4  # what a word weighs that hardly tells anything
COMMON_SHARE = (
    0.3  # how far a word's weight is that of its commonest synonym: a rare word for a common thing tells less
)
BEST_OF_DOCUMENT = 3  # so many of a document's sections speak for it
SHORTEST_MISTYPED = 5  # letters of a word in which a slip may be looked for

_BLOCK = re.compile(r"\n\s*\n|(?<=[.!?:])\s+|\n(?=[-*|] ?)")
_IDENTIFIER = re.compile(r"\b\w*(?:[a-z][A-Z]|_|[A-Za-z]\d|\d[A-Za-z])\w*\b")


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a section.

    `anywhere` is the weighted share of the question's terms that the section holds, `sentence` the share that one of
    its sentences or rows, or its heading, holds by itself; `asked` the share of its heading that the question holds.
    `words` is how well BM25 likes it for the weight of the question, and `document` how well it likes the document's
    best sections beside those of the best document. `names` is the share of names such as `api_limit_reached` in the
    question that it holds.
    """

    anywhere: float
    sentence: float
    asked: float
    words: float
    document: float
    names: float


ORDER = Signs(anywhere=4.50, sentence=3.84, asked=2.52, words=0.21, document=1.94, names=2.10)

TRUST = Signs(anywhere=2.39, sentence=1.82, asked=0.46, words=0.59, document=0.89, names=1.31)
TRUST_LENGTH = 1.72
"""For each e-fold of the question's terms: the more is asked, the less of it a section must hold."""

TRUST_LEAD = 0.40
TRUST_OFFSET = -7.95
MOST_LEAD = 3.0


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question as the index has it.

    `alternatives` are the forms that count for it, each with its share; `weight` is how much it tells.
    """

    text: str
    alternatives: Mapping[str, float]
    weight: float


class Corpus(Protocol):
    """What retrieval asks of an index."""

    @property
    def sections(self) -> int:
        """How many sections there are."""

    def terms(self, text: str) -> list[str]:
        """Return a text's terms."""

    def frequency(self, term: str) -> int:
        """Return how many sections hold a term."""

    def synonyms(self, term: str) -> frozenset[str]:
        """Return the terms that mean about the same, whether any section holds them or not."""

    def beginning(self, prefix: str) -> list[str]:
        """Return terms that begin with a prefix, the commonest first."""

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words, each given by its terms with their weights; best first."""


def terms_of(corpus: Corpus, question: str) -> list[Term]:
    """Return what a question is about. A question of stop words alone is about nothing."""
    found: dict[str, Term] = {}
    for word in _words(question):
        for text in corpus.terms(word):
            if text not in found:
                found[text] = _term(corpus, word, text)
    return list(found.values())


def wanted(corpus: Corpus, terms: Sequence[Term]) -> list[dict[str, float]]:
    """Return what to search for: of each word the forms, so weighted that none tells more than the word."""
    return [
        {form: share * term.weight / _rarity(corpus, form) for form, share in term.alternatives.items()}
        for term in terms
    ]


def order(signs: Signs) -> float:
    """Return what sections are ordered by."""
    return math.sumprod(astuple(ORDER), astuple(signs))


def length(terms: int) -> float:
    """Return what the length of a question counts for trust. One word and two are the same: a heading may say all."""
    return math.log(max(terms, 2))


def trust(signs: Signs, terms: int, lead: float) -> float:
    """Return from 0 to 1 how far a section may be trusted to answer a question of so many terms.

    `lead` is by how much its order exceeds that of the best section of another document.
    """
    total = math.sumprod(astuple(TRUST), astuple(signs)) + TRUST_OFFSET
    total += TRUST_LENGTH * length(terms) + TRUST_LEAD * max(-MOST_LEAD, min(lead, MOST_LEAD))
    return 1 / (1 + math.exp(-total))


def signs_of(corpus: Corpus, question: str, terms: Sequence[Term], hits: Sequence[Hit]) -> list[Signs]:
    """Return what speaks for each section."""
    forms = {form for term in terms for form in term.alternatives}
    names = {text for name in _IDENTIFIER.findall(question) for text in corpus.terms(name)}
    weight = sum(term.weight for term in terms)
    of_document: dict[str, float] = {}
    for document in {hit.document_id for hit in hits}:
        scores = sorted((hit.score for hit in hits if hit.document_id == document), reverse=True)
        of_document[document] = sum(scores[:BEST_OF_DOCUMENT])
    best = max(of_document.values(), default=0.0) or 1.0
    found: list[Signs] = []
    for hit in hits:
        above = set(corpus.terms(f"{hit.title} {hit.heading}"))
        heading = set(corpus.terms(hit.heading or hit.title))
        blocks = [set(corpus.terms(block)) for block in _BLOCK.split(hit.text)]
        body = set[str]().union(*blocks)
        blocks.append(heading)
        found.append(
            Signs(
                anywhere=coverage(terms, above, body),
                sentence=max(coverage(terms, block, set()) for block in blocks),
                asked=_asked(corpus, forms, hit),
                words=hit.score / weight if weight else 0.0,
                document=of_document[hit.document_id] / best,
                names=len(names & (above | body)) / len(names) if names else 0.0,
            )
        )
    return found


def coverage(terms: Sequence[Term], above: set[str], body: set[str]) -> float:
    """Return the weighted share of a question's terms that are held; what only the text holds counts less."""
    total = held = 0.0
    for term in terms:
        total += term.weight
        held += term.weight * max(
            share * (1.0 if form in above else BODY_SHARE if form in body else 0.0)
            for form, share in term.alternatives.items()
        )
    return held / total if total else 0.0


def _asked(corpus: Corpus, forms: set[str], hit: Hit) -> float:
    """Return the weighted share of a heading (the title, where there is none) that the question holds."""
    heading = hit.heading.rpartition(HEADING_SEPARATOR)[2] or hit.title
    total = held = 0.0
    for text in {text for word in _words(heading) for text in corpus.terms(word)}:
        weight = _rarity(corpus, text)
        total += weight
        held += weight if text in forms else 0.0
    return held / total if total else 0.0


def _words(text: str) -> list[str]:
    written = (ABBREVIATIONS.get(word, word) for word in re.findall(r"\w+", text.lower()))
    return [word for words in written for word in words.split() if word not in STOP_WORDS]


def _rarity(corpus: Corpus, text: str) -> float:
    """Return a term's inverse document frequency, as BM25 has it."""
    frequency = corpus.frequency(text)
    return math.log(1 + (corpus.sections - frequency + 0.5) / (frequency + 0.5))


def _term(corpus: Corpus, word: str, text: str) -> Term:
    known = corpus.frequency(text) > 0
    synonyms = {form for form in corpus.synonyms(text) if corpus.frequency(form)}
    alternatives = {text: 1.0} | dict.fromkeys(synonyms, SYNONYM_SHARE)
    if not known and not synonyms:
        alternatives |= dict.fromkeys(_meant(corpus, text), MISTYPED_SHARE)
    weight = _rarity(corpus, text)
    others = [_rarity(corpus, form) for form in alternatives if form != text]
    if others:
        weight += COMMON_SHARE * min(0.0, min(others) - weight)
    elif not known:
        weight *= UNKNOWN_SHARE
    return Term(text, alternatives, weight * (FAINT_SHARE if word in FAINT_WORDS else 1.0))


def _meant(corpus: Corpus, text: str) -> list[str]:
    """Return the terms that an unknown one may be a slip of: one letter more, less, other or exchanged."""
    if len(text) < SHORTEST_MISTYPED or not text.isalpha():
        return []
    return [known for known in corpus.beginning(text[:2]) if _one_slip(text, known)][:2]


def _one_slip(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or len(other) < SHORTEST_MISTYPED - 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True  # one is the other with a letter more at its end
    tail, other_tail = one[start:], other[start:]
    exchanged = tail[:2] == other_tail[1::-1] and tail[2:] == other_tail[2:]
    return exchanged or tail[1:] == other_tail[1:] or tail[1:] == other_tail or tail == other_tail[1:]
