"""Finding the passage that answers a question, and saying how far it may be trusted.

Two things are asked of a passage. *Which is best* is answered by rankers, whose lists are fused by reciprocal rank;
BM25 is the first, and another (embeddings, say) may join without a change here. *Is it good enough* cannot be read
from a ranker: BM25's numbers grow with the question's length and the corpus. It is in the main the share of what the
question is about that the passage holds, each term weighted by how much it tells (idf), from 0 to 1: the same scale
for every question and every knowledge base, so that one threshold serves all.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from helpdesk.knowledge.index import Hit, copy_of
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.questions import STOP_WORDS, SYNONYMS
from helpdesk.knowledge.quoting import excerpt

CONFIDENT = 0.5
"""From this score on a passage is worth quoting. Tuned with tests/integration/knowledge/test_quality.py."""

CANDIDATES = 24
RECIPROCAL_RANK_OFFSET = 60  # the constant of Cormack, Clarke and Büttcher (2009), as everyone uses it

SYNONYM_SHARE = 0.8  # what a synonym counts of the word that was asked for
BODY_SHARE = 0.7  # what a term counts that is in the text, but in neither heading nor title
FOCUS_SHARE = 0.35  # how much of coverage hangs on the terms standing together
HEADING_SHARE = 0.25  # how much of the score hangs on the heading being about nothing else than the question
UNKNOWN_SHARE = 0.8  # what a word weighs that no document has: it may be the point of the question, or a slip
RANK_SHARE = 0.1  # how much the place behind the best by rank costs: it decides between equals

_BLOCK = re.compile(r"\n\s*\n|(?<=[.!?])\s+|\n(?=[-*|] ?)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A section that may answer a question.

    `text` is the section as Markdown, `excerpt` what of it to quote; `score` is from 0 to 1.
    """

    document_id: str
    title: str
    heading: str
    url: str | None
    text: str
    excerpt: str
    score: float


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question as the index has it.

    `alternatives` are the forms that count for it, each with its share; `weight` is how much it tells.
    """

    text: str
    alternatives: dict[str, float]
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

    def search(self, weighted_terms: Sequence[tuple[str, float]], limit: int) -> list[Hit]:
        """Return the best sections, best first."""


class Ranker(Protocol):
    """Something that orders sections by how well they fit a question."""

    def __call__(self, corpus: Corpus, question: str, terms: Sequence[Term], limit: int, /) -> list[Hit]:
        """Return sections, best first."""


def by_words(corpus: Corpus, _: str, terms: Sequence[Term], limit: int) -> list[Hit]:
    """Rank by BM25 over title, heading and text."""
    weighted = {form: share for term in terms for form, share in term.alternatives.items()}
    return corpus.search(list(weighted.items()), limit)


def find(
    organization: str, question: str, *, limit: int = 5, rankers: Sequence[Ranker] = (by_words,)
) -> list[Passage] | None:
    """Return the passages of an organization's knowledge base that fit a question best, the best first.

    None where nothing is indexed at all. Costs one call while the index is as it was.
    """
    copy = copy_of(organization)
    copy.refresh()
    corpus = copy.searcher()
    return None if corpus is None else search(corpus, question, limit=limit, rankers=rankers)


def search(
    corpus: Corpus, question: str, *, limit: int = 5, rankers: Sequence[Ranker] = (by_words,)
) -> list[Passage]:
    """Return the passages of a corpus that fit a question best, the best first."""
    terms = terms_of(corpus, question)
    if not terms:
        return []
    fused = fuse([ranker(corpus, question, terms, CANDIDATES) for ranker in rankers])
    scored = [(confidence(corpus, terms, hit) - RANK_SHARE * (1 - share), hit) for hit, share in fused]
    scored.sort(key=lambda pair: -pair[0])
    forms = {form for term in terms for form in term.alternatives}
    return [_passage(corpus, hit, forms, max(score, 0.0)) for score, hit in scored[:limit]]


def terms_of(corpus: Corpus, question: str) -> list[Term]:
    """Return what a question is about. A question of stop words alone is about nothing."""
    found: dict[str, Term] = {}
    for word in _words(question):
        for text in corpus.terms(word):
            if text not in found:
                found[text] = _term(corpus, word, text)
    return list(found.values())


def fuse(rankings: Sequence[Sequence[Hit]]) -> list[tuple[Hit, float]]:
    """Return sections with their reciprocal-rank scores, as a share of the best; best first."""
    points: dict[tuple[str, int], float] = {}
    hits: dict[tuple[str, int], Hit] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            key = (hit.document_id, hit.position)
            hits.setdefault(key, hit)
            points[key] = points.get(key, 0.0) + 1 / (RECIPROCAL_RANK_OFFSET + rank)
    best = max(points.values(), default=1.0)
    ordered = sorted(points, key=lambda key: -points[key])
    return [(hits[key], points[key] / best) for key in ordered]


def confidence(corpus: Corpus, terms: Sequence[Term], hit: Hit) -> float:
    """Return from 0 to 1 how far a section is about what the question is about.

    Most of it is coverage: how much of the question the section holds anywhere, and in one sentence or its heading, so
    that a long section which happens to hold every word does not pass for one that speaks of the matter. The rest is
    the other way round: how much of the section's heading the question holds.
    """
    above = set(corpus.terms(f"{hit.title} {hit.heading}"))
    body = set(corpus.terms(hit.text))
    blocks = [above.union(corpus.terms(block)) for block in _BLOCK.split(hit.text)]
    focused = max([coverage(terms, above, set()), *(coverage(terms, set(), block) for block in blocks)])
    covered = (1 - FOCUS_SHARE) * coverage(terms, above, body) + FOCUS_SHARE * focused
    return (1 - HEADING_SHARE) * covered + HEADING_SHARE * _asked_for(corpus, terms, hit)


def _asked_for(corpus: Corpus, terms: Sequence[Term], hit: Hit) -> float:
    """Return the weighted share of a heading (the title, where there is none) that the question holds."""
    asked = {form for term in terms for form in term.alternatives}
    heading = hit.heading.rpartition(HEADING_SEPARATOR)[2] or hit.title
    total = held = 0.0
    for text in {text for word in _words(heading) for text in corpus.terms(word)}:
        weight = _weight(corpus, text)
        total += weight
        held += weight if text in asked else 0.0
    return held / total if total else 0.0


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


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def _weight(corpus: Corpus, text: str) -> float:
    """Return how much a term tells: its inverse document frequency, as BM25 has it."""
    frequency = corpus.frequency(text)
    weight = math.log(1 + (corpus.sections - frequency + 0.5) / (frequency + 0.5))
    return weight if frequency else weight * UNKNOWN_SHARE


def _term(corpus: Corpus, word: str, text: str) -> Term:
    alternatives = {text: 1.0}
    for group in SYNONYMS:
        stems = {stem for synonym in group for stem in corpus.terms(synonym)}
        if word in group or text in stems:
            alternatives |= {stem: SYNONYM_SHARE for stem in stems if stem not in alternatives}
    return Term(text, alternatives, _weight(corpus, text))


def _passage(corpus: Corpus, hit: Hit, forms: set[str], score: float) -> Passage:
    quoted = excerpt(hit.text, lambda block: len(forms.intersection(corpus.terms(block))))
    return Passage(hit.document_id, hit.title, hit.heading, hit.url, hit.text, quoted, round(score, 4))
