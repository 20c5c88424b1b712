"""Finds the passages that answer a question, with the confidence in each.

Two rankers choose sections: BM25 by the words, and sentence vectors by the meaning. Every section that either of them
finds gets the evidence of both. `scoring` orders them and gives each a score from 0 to 1, on the same scale for every
question and knowledge base, so that one threshold serves all.
"""

from collections.abc import Collection, Sequence
from copy import replace

from helpdesk.knowledge import index_kinds, language, repository, spelling
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.quoting import excerpt
from helpdesk.knowledge.scoring import (
    BEST_OF_DOCUMENT,
    Background,
    Evidence,
    confidence,
    on_calibrated_scale,
    order,
)
from helpdesk.knowledge.terms import Corpus, Term, coverage, relevance, terms_of, wanted
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.search.embeddings.embedder import Embedder, EmbeddingFailed, Vectors
from helpdesk.search.s3_index.vectors import VectorSet

CONFIDENT = 0.5
"""The least score at which a passage is quoted."""

ALSO_QUOTED = 0.05
"""How far behind the best section of its document another one may be in the order, to be quoted with it."""

CLOSE = 0.08
"""The most that the best document is ahead of the second where the two are too close to choose."""

CANDIDATES = 40
"""Sections that each ranker proposes."""


class Passage(Record):
    """A section that may answer a question.

    `text` is the section as Markdown, in `language`, and `excerpt` the part to quote. `more` is the part to quote of
    another section of the document, under its heading, if one fits about as well. `score` is from 0 to 1.
    `either`, on the best passage, is the score that it would have if the second, which is close, were no rival: that
    one of the two answers.
    """

    document_id: str
    version: int
    title: str
    heading: str
    url: str | None
    text: str
    excerpt: str
    score: float
    more: str = ""
    either: float = 0.0
    language: str = language.ENGLISH


class Candidate(Record):
    """A section with its evidence."""

    hit: Hit
    evidence: Evidence


def find(
    organization: str, question: str, *, limit: int = 5, among: Collection[str] | None = None
) -> list[Passage] | None:
    """Return the passages of an organization's knowledge base that fit a question best, the best first.

    Each is of another document; with `among` of one of these documents. None if nothing is indexed. Two calls while the
    index is unchanged, and one of the model if it is one of Bedrock. Raises IndexTooLarge, Conflict.
    """
    deleted = repository.deleted(organization)  # before the index, as it says there
    chosen = index_kinds.answering(organization)
    corpus = chosen.index.reader
    if corpus is None:
        return None
    present = corpus.without(deleted)
    return search(present if among is None else present.among(among), question, chosen.model, limit=limit)


def search(corpus: Corpus, question: str, model: Embedder, *, limit: int = 5) -> list[Passage]:
    """Return the passages of a corpus that fit a question best, the best first; each is of another document."""
    spoken = language.language_of(question, corpus.languages)
    question = spelling.corrected(corpus, question, spoken)
    terms = terms_of(corpus, question, spoken)
    if not terms:  # it has no subject: "how do I do it?"
        return []
    by_document: dict[str, list[Candidate]] = {}
    for candidate in candidates(corpus, question, spoken, terms, model):
        by_document.setdefault(candidate.hit.document_id, []).append(candidate)
    passages: list[Passage] = []
    score = 1.0
    for own in list(by_document.values())[:limit]:
        score = min(score, confidence(own[0].evidence))
        passages.append(_passage(own, terms, score))
    if len(passages) > 1:
        passages[0] = replace(passages[0], either=_either([own[0] for own in by_document.values()]))
    return passages


def _either(best: Sequence[Candidate]) -> float:
    """Return how likely the first or the second document answers; 0 if the first is clearly ahead."""
    first = best[0].evidence
    if first.lead > CLOSE:
        return 0.0
    third = order(best[2].evidence) if len(best) > 2 else 0.0
    return round(confidence(replace(first, lead=order(first) - third)), 4)


def candidates(
    corpus: Corpus, question: str, spoken: str, terms: Sequence[Term], model: Embedder
) -> list[Candidate]:
    """Return the sections that one of the rankers finds, with their evidence, the best first."""
    words = wanted(terms)
    hits = corpus.search(words, CANDIDATES)
    most = max((hit.score for hit in hits), default=0.0) or 1.0
    vectors, embedder = _comparable(corpus, spoken, model)
    similarities = None if embedder is None else _similarities(vectors, question, embedder)
    background = None if similarities is None else Background.of(similarities)
    if similarities is not None:
        found = {(hit.document_id, hit.position) for hit in hits}
        near = [key for key in corpus.nearest(vectors, similarities, CANDIDATES) if key not in found]
        hits = [*hits, *corpus.sections_by_key(near, words)]
    judged = [
        Candidate(hit, _evidence(vectors, similarities, background, hit, terms, hit.score / most))
        for hit in hits
    ]
    return _with_leads(sorted(judged, key=lambda candidate: -order(candidate.evidence)))


def _comparable(corpus: Corpus, spoken: str, model: Embedder) -> tuple[VectorSet, Embedder | None]:
    """Return the vectors that a question in a language is compared with, and the embedder; None for words alone."""
    if corpus.vectors.sections and (model.languages is None or spoken in model.languages):
        return corpus.vectors, model
    other = model.multilingual
    if other is None or (other.languages is not None and spoken not in other.languages):
        return corpus.vectors, None
    return corpus.multilingual, other if corpus.multilingual.sections else None


def _similarities(vectors: VectorSet, question: str, model: Embedder) -> Vectors | None:
    """Return how similar each section is to the question; None if only their words can be compared."""
    try:
        asked = model.question(question)
    except EmbeddingFailed:
        logger.warning("searched_by_words_alone")
        return None
    similarities = vectors.similarities(asked)
    return similarities if model.calibrated else on_calibrated_scale(similarities)


def _evidence(
    vectors: VectorSet,
    similarities: Vectors | None,
    background: Background | None,
    hit: Hit,
    terms: Sequence[Term],
    words: float,
) -> Evidence:
    count = sum(term.weight > 0 for term in terms)
    held = set(language.terms(hit.searched, hit.language))
    if similarities is None or background is None:
        return Evidence(None, 0.0, 0.0, words, coverage(terms, held), count)
    similarity = vectors.value(similarities, hit.document_id, hit.position)
    return Evidence(
        similarity=similarity,
        standing=background.standing(similarity),
        document=vectors.mean_of_best(similarities, hit.document_id, BEST_OF_DOCUMENT),
        words=words,
        coverage=coverage(terms, held),
        terms=count,
    )


def _with_leads(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Return ordered candidates with their lead over the best one of another document."""
    found: list[Candidate] = []
    for candidate in ordered:
        value = order(candidate.evidence)
        rival = next(
            (
                order(other.evidence)
                for other in ordered
                if other.hit.document_id != candidate.hit.document_id
            ),
            0.0,
        )
        found.append(replace(candidate, evidence=replace(candidate.evidence, lead=value - rival)))
    return found


def _passage(own: Sequence[Candidate], terms: Sequence[Term], score: float) -> Passage:
    """Return the passage of a document by its sections, the best first."""
    hit, more = own[0].hit, ""
    for other in own[1:2]:
        if _fits_as_well(other.evidence, own[0].evidence):
            heading = other.hit.heading.rpartition(HEADING_SEPARATOR)[2]
            named = f"**{heading}**\n\n" if heading and other.hit.heading != hit.heading else ""
            more = named + _quote(other.hit, terms)
    return Passage(
        hit.document_id,
        hit.version,
        hit.title,
        hit.heading,
        hit.url,
        hit.text,
        _quote(hit, terms),
        round(score, 4),
        more,
        language=hit.language,
    )


def _fits_as_well(other: Evidence, best: Evidence) -> bool:
    """Return whether a section is about as good as the best one of its document, and has as many of the words."""
    return order(best) - order(other) < ALSO_QUOTED and other.coverage >= best.coverage


def _quote(hit: Hit, terms: Sequence[Term]) -> str:
    return excerpt(hit.text, lambda block: relevance(terms, set(language.terms(block, hit.language))))
