"""Order of sections for a question, and confidence in each, from 0 to 1.

A few signals that mean the same in every knowledge base: how far the section's similarity stands out from that of all
others, how much of the question's weight its words cover, how far it is ahead of the other documents, and how much was
asked. Each of them can only raise confidence. The weights are fitted by `python -m scripts.evaluation fit` to questions
about products that are not this one, and judged by questions about yet another (docs/decisions/0127).
"""

import math

from helpdesk.platform.record import Record
from helpdesk.search.embeddings.embedder import Vectors

WORDS_SHARE = 0.15
"""The weight of the words in the order of sections. That of the section's own vectors is 1."""

DOCUMENT_SHARE = 0.5
"""The weight of its document's best sections: one of a document on the subject is worth more than a stray one."""

BEST_OF_DOCUMENT = 3
"""The sections of a document that count for it."""

MOST_LEAD = 0.3

USUAL_SIMILARITY, USUAL_SPREAD = 0.08, 0.094
"""Mean and standard deviation of the similarities of all sections with a question, in three knowledge bases."""

USUAL_SECTIONS = 1_000
"""How many sections with usual similarities are added to those there are. In a knowledge base of a few documents, all
may be on the subject, and their mean and spread say little."""


class Background(Record):
    """Mean and standard deviation of the similarities of all sections with one question."""

    mean: float
    spread: float

    @classmethod
    def of(cls, similarities: Vectors) -> "Background":
        """Return the background of a question, with the usual sections added."""
        count = len(similarities) + USUAL_SECTIONS
        mean = (float(similarities.sum()) + USUAL_SECTIONS * USUAL_SIMILARITY) / count
        squares = float(((similarities - mean) ** 2).sum())
        squares += USUAL_SECTIONS * (USUAL_SPREAD**2 + (USUAL_SIMILARITY - mean) ** 2)
        return cls(mean, math.sqrt(squares / count))

    def standing(self, similarity: float) -> float:
        """Return how many standard deviations a similarity is above the mean."""
        return (similarity - self.mean) / self.spread


class Evidence(Record):
    """What speaks for a section as the answer to a question.

    `similarity` is the cosine of the best of its vectors with the question, and None where only words are compared;
    `standing` is how far it stands out (see `Background`). `document` is the mean similarity of the document's best
    sections. `words` is its BM25 score as a share of the best one, and `coverage` the share of the question's weight
    that its words hold. `terms` is the number of the question's words. `lead` is how far it is ahead of the best
    section of another document in the order; it is negative for all but the first.
    """

    similarity: float | None
    standing: float
    document: float
    words: float
    coverage: float
    terms: int
    lead: float = 0.0


class Weights(Record):
    """The log-odds of a right section: a sum over its evidence. None of the weights but the offset is negative."""

    standing: float
    coverage: float
    lead: float
    length: float
    offset: float


WITH_VECTORS = Weights(standing=0.9, coverage=4.7, lead=10.5, length=1.4, offset=-9.2)
WORDS_ALONE = Weights(standing=0.0, coverage=8.5, lead=9.5, length=2.0, offset=-11.3)


def order(evidence: Evidence) -> float:
    """Return the value by which sections are ordered."""
    if evidence.similarity is None:
        return evidence.words
    return evidence.similarity + DOCUMENT_SHARE * evidence.document + WORDS_SHARE * evidence.words


def on_calibrated_scale(similarities: Vectors) -> Vectors:
    """Return the similarities of a model for which nothing was calibrated, on the scale of the one that was.

    Models differ in how similar they find unrelated texts, and how much they tell texts apart. Both are seen in the
    similarities of all sections with one question.
    """
    spread = similarities.std() or 1.0
    return USUAL_SIMILARITY + (similarities - similarities.mean()) * (USUAL_SPREAD / spread)


def length(terms: int) -> float:
    """Return the length of a question as its confidence takes it: three words in common say more than one."""
    return math.log(max(terms, 1))


def confidence(evidence: Evidence) -> float:
    """Return from 0 to 1 how likely a section is to answer the question."""
    weights = WORDS_ALONE if evidence.similarity is None else WITH_VECTORS
    total = (
        weights.offset
        + weights.standing * evidence.standing
        + weights.coverage * evidence.coverage
        + weights.lead * max(-MOST_LEAD, min(evidence.lead, MOST_LEAD))
        + weights.length * length(evidence.terms)
    )
    return 1 / (1 + math.exp(-total))
