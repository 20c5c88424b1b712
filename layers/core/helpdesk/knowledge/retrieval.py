"""Finds the passages that answer a question, with the confidence in each.

Two rankers choose sections: BM25 by the words, and sentence vectors by the meaning. Every section that either of them
finds gets the evidence of both, and the model reads the best ones again, word by word. `scoring` orders them and gives
each a score from 0 to 1, on the same scale for every question and knowledge base, so that one threshold serves all.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from copy import replace

from helpdesk.knowledge import index_kinds, language, late_interaction, quoting, repository, spelling
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.late_interaction import Reading
from helpdesk.knowledge.markdown import HEADING_SEPARATOR
from helpdesk.knowledge.scoring import (
    BEST_OF_DOCUMENT,
    Background,
    Evidence,
    confidence,
    lead,
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
"""How far behind in the order another section of the document may be, to be quoted with the best one."""

CANDIDATES = 40
"""Sections that each ranker proposes."""


class Passage(Record):
    """A section that may answer a question.

    `text` is the section as Markdown and `excerpt` the part to quote, with that of another section of the document that
    fits as well. `score` is from 0 to 1.
    """

    document_id: str
    version: int
    title: str
    heading: str
    url: str | None
    text: str
    excerpt: str
    score: float


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
    return passages


def candidates(
    corpus: Corpus, question: str, spoken: str, terms: Sequence[Term], model: Embedder
) -> list[Candidate]:
    """Return the sections that one of the rankers finds, with their evidence, the best first."""
    words = wanted(terms)
    hits = corpus.search(words, CANDIDATES)
    most = max((hit.score for hit in hits), default=0.0) or 1.0
    asked = _vector(corpus, question, spoken, model)
    similarities = None if asked is None else corpus.vectors.similarities(asked)
    if similarities is not None and not model.calibrated:
        similarities = on_calibrated_scale(similarities)
    background = None if similarities is None else Background.of(similarities)
    if similarities is not None:
        found = {(hit.document_id, hit.position) for hit in hits}
        near = [key for key in corpus.nearest(similarities, CANDIDATES) if key not in found]
        hits = [*hits, *corpus.sections_by_key(near, words)]
    judged = [
        Candidate(hit, _evidence(corpus.vectors, similarities, background, hit, terms, hit.score / most))
        for hit in hits
    ]
    ordered = sorted(_compared(judged), key=_order)
    return ordered if asked is None else _with_best_read(corpus, question, spoken, asked, ordered, model)


def _order(candidate: Candidate) -> float:
    return -order(candidate.evidence)


def _vector(corpus: Corpus, question: str, spoken: str, model: Embedder) -> Vectors | None:
    """Return the vector of a question; None if only words can be compared."""
    if not corpus.vectors.sections or not (model.languages is None or spoken in model.languages):
        return None
    try:
        return model.question(question)
    except EmbeddingFailed:
        logger.warning("searched_by_words_alone")
        return None


def _evidence(
    vectors: VectorSet,
    similarities: Vectors | None,
    background: Background | None,
    hit: Hit,
    terms: Sequence[Term],
    words: float,
) -> Evidence:
    held = set(language.terms(f"{hit.title}\n{hit.heading}\n{hit.text}", hit.language))
    if similarities is None or background is None:
        return Evidence(None, 0.0, 0.0, words, coverage(terms, held))
    similarity = vectors.value(similarities, hit.document_id, hit.position)
    return Evidence(
        similarity=similarity,
        standing=background.standing(similarity),
        document=vectors.mean_of_best(similarities, hit.document_id, BEST_OF_DOCUMENT),
        words=words,
        coverage=coverage(terms, held),
    )


def _compared(judged: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with what the others cover, and with their lead over the best other documents."""
    most = max((candidate.evidence.coverage for candidate in judged), default=0.0)
    covered = [replace(each, evidence=replace(each.evidence, most_covered=most)) for each in judged]
    best: dict[str, float] = {}
    for candidate in covered:
        document = candidate.hit.document_id
        best[document] = max(order(candidate.evidence), best.get(document, -math.inf))
    ranked = sorted(best, key=lambda document: -best[document])
    found: list[Candidate] = []
    for candidate in covered:
        others = [best[document] for document in ranked if document != candidate.hit.document_id]
        ahead = lead(order(candidate.evidence), others)
        found.append(replace(candidate, evidence=replace(candidate.evidence, lead=ahead)))
    return found


def _with_best_read(
    corpus: Corpus,
    question: str,
    spoken: str,
    asked: Vectors,
    ordered: Sequence[Candidate],
    model: Embedder,
) -> list[Candidate]:
    """Return candidates in their order after the best of them were read word by word."""
    hits = late_interaction.worth_reading([candidate.hit for candidate in ordered])
    readings = late_interaction.read(corpus, question, spoken, asked, hits, model)
    read = {(hit.document_id, hit.position): found for hit, found in zip(hits, readings, strict=False)}
    return sorted((_as_read(candidate, read) for candidate in ordered), key=_order)


def _as_read(candidate: Candidate, read: Mapping[tuple[str, int], Reading]) -> Candidate:
    reading = read.get((candidate.hit.document_id, candidate.hit.position))
    return replace(candidate, evidence=replace(candidate.evidence, reading=reading))


def _passage(own: Sequence[Candidate], terms: Sequence[Term], score: float) -> Passage:
    """Return the passage of a document by its candidates, the best first."""
    hit = own[0].hit
    quotes = [_quote(hit, terms)]
    for other in own[1:2]:
        if _fits_as_well(other.evidence, own[0].evidence):
            heading = other.hit.heading.rpartition(HEADING_SEPARATOR)[2]
            quotes += [f"**{heading}**"] if heading and other.hit.heading != hit.heading else []
            quotes.append(_quote(other.hit, terms))
    excerpt = "\n\n".join(quotes)
    return Passage(
        hit.document_id, hit.version, hit.title, hit.heading, hit.url, hit.text, excerpt, round(score, 4)
    )


def _fits_as_well(other: Evidence, best: Evidence) -> bool:
    """Return whether a section is about as good as the best one of its document, and has as many of the words."""
    return (
        other.reading is not None
        and order(best) - order(other) < ALSO_QUOTED
        and other.coverage >= best.coverage
    )


def _quote(hit: Hit, terms: Sequence[Term]) -> str:
    return quoting.excerpt(hit.text, lambda block: relevance(terms, set(language.terms(block, hit.language))))
