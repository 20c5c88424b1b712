"""Finds the passages that answer a question, with the confidence in each.

Rankers order sections, and their lists are fused by reciprocal rank. BM25 is the only ranker; another can join without
a change here. `scoring` then scores the sections from 0 to 1, on the same scale for every question and knowledge base,
so that one threshold serves all.
"""

from collections.abc import Sequence
from typing import Protocol

from helpdesk.knowledge import repository
from helpdesk.knowledge.features import features_of
from helpdesk.knowledge.index import Hit, index_of
from helpdesk.knowledge.quoting import excerpt
from helpdesk.knowledge.scoring import MOST_LEAD, confidence, order
from helpdesk.knowledge.terms import Corpus, Term, terms_of, wanted
from helpdesk.platform.frozen_record import FrozenRecord

CONFIDENT = 0.5
"""The least score at which a passage is quoted."""

CANDIDATES = 40
RECIPROCAL_RANK_OFFSET = 60  # the usual constant, from Cormack, Clarke and Büttcher (2009)


class Passage(FrozenRecord):
    """A section that may answer a question.

    `text` is the section as Markdown and `excerpt` the part to quote. `score` is from 0 to 1.
    """

    document_id: str
    title: str
    heading: str
    url: str | None
    text: str
    excerpt: str
    score: float


class Ranker(Protocol):
    """Orders sections by how well they fit a question."""

    def __call__(self, corpus: Corpus, question: str, terms: Sequence[Term], limit: int, /) -> list[Hit]:
        """Return sections, best first."""


def by_words(corpus: Corpus, _: str, terms: Sequence[Term], limit: int) -> list[Hit]:
    """Rank by BM25 over title, heading and text."""
    return corpus.search(wanted(corpus, terms), limit)


def find(
    organization: str, question: str, *, limit: int = 5, rankers: Sequence[Ranker] = (by_words,)
) -> list[Passage] | None:
    """Return the passages of an organization's knowledge base that fit a question best, the best first.

    None if nothing is indexed. Two calls while the index is unchanged. Raises IndexTooLarge, Conflict.
    """
    deleted = repository.deleted(organization)  # before the index, as it says there
    index = index_of(organization)
    index.refresh()
    corpus = index.reader
    if corpus is None:
        return None
    return search(corpus.without(deleted), question, limit=limit, rankers=rankers)


def search(
    corpus: Corpus, question: str, *, limit: int = 5, rankers: Sequence[Ranker] = (by_words,)
) -> list[Passage]:
    """Return the passages of a corpus that fit a question best, the best first."""
    terms = terms_of(corpus, question)
    if not terms:
        return []
    fused = fuse([ranker(corpus, question, terms, CANDIDATES) for ranker in rankers])
    features = features_of(corpus, question, terms, fused)
    ordered = sorted(
        ((order(feature), hit, feature) for feature, hit in zip(features, fused, strict=True)),
        key=lambda row: -row[0],
    )
    passages: list[Passage] = []
    score = 1.0
    for value, hit, feature in ordered[:limit]:
        rival = next((other for other, its, _ in ordered if its.document_id != hit.document_id), None)
        lead = MOST_LEAD if rival is None else value - rival
        score = min(score, confidence(feature, len(terms), lead))
        passages.append(_passage(corpus, terms, hit, score))
    return passages


def fuse(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the sections of several rankings, those that rank high in many of them first."""
    points: dict[tuple[str, int], float] = {}
    hits: dict[tuple[str, int], Hit] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            key = (hit.document_id, hit.position)
            hits.setdefault(key, hit)
            points[key] = points.get(key, 0.0) + 1 / (RECIPROCAL_RANK_OFFSET + rank)
    return [hits[key] for key in sorted(points, key=lambda key: -points[key])]


def _passage(corpus: Corpus, terms: Sequence[Term], hit: Hit, found: float) -> Passage:
    def relevance(block: str) -> float:
        held = set(corpus.terms(block))
        return sum(
            term.weight
            * max((share for form, share in term.alternatives.items() if form in held), default=0.0)
            for term in terms
        )

    quoted = excerpt(hit.text, relevance)
    return Passage(hit.document_id, hit.title, hit.heading, hit.url, hit.text, quoted, round(found, 4))
