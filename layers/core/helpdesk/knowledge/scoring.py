"""Order of sections for a question, and confidence in each, from 0 to 1.

A few signals that mean the same in every knowledge base: how much of the question the section answers word by word, how
far it is ahead of other documents, and where no model reads it, how far its similarity stands out and how much of the
question its words cover. Each of them can only raise confidence. The weights are fitted by `python -m
scripts.evaluation fit` to questions about several products, and judged by those about others (docs/decisions/0127).
"""

import math
import statistics
from collections.abc import Sequence

from helpdesk.knowledge.late_interaction import Reading
from helpdesk.platform.record import Record
from helpdesk.search.embeddings.embedder import Vectors

WORDS_SHARE = 0.15
"""The weight of the words in the order of sections. That of the section's own vectors is 1."""

DOCUMENT_SHARE = 0.5
"""The weight of its document's best sections: one of a document on the subject is worth more than a stray one."""

BEST_OF_DOCUMENT = 3
"""The sections of a document that count for it."""

RIVALS = 5
"""The other documents that a section is compared with. One may say the same; five say how alike the documents are."""

USUAL_RIVAL = 0.5
"""What the best other documents have in the order, in the median of several knowledge bases: also by words alone. A
knowledge base with fewer documents is compared with these."""

USUAL_SIMILARITY, USUAL_SPREAD = 0.08, 0.094
"""Mean and standard deviation of the similarities of all sections with a question, in three knowledge bases."""

USUAL_SECTIONS = 1_000
"""How many sections with usual similarities are added to those there are. In a knowledge base of a few documents, all
may be on the subject, and their mean and spread say little."""

LEAST_RIVALS = 0.2
"""The least mean of them. In a small knowledge base none may be near the subject, and to be ahead of those says little.
"""


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
    that its words hold; `most_covered` is the greatest of any section. `lead` is how far it is ahead of the best other
    documents before any is read. `reading` is how much of the question it answers word by word, and None if it was not
    read.
    """

    similarity: float | None
    standing: float
    document: float
    words: float
    coverage: float
    most_covered: float = 1.0
    lead: float = 0.0
    reading: Reading | None = None


class Weights(Record):
    """The log-odds of a right section: a sum over its evidence. None of the weights but the offset is negative."""

    lead: float
    offset: float
    answered: float = 0.0
    standing: float = 0.0
    coverage: float = 0.0


READ = Weights(lead=9.5, answered=4.5, offset=-4.9)
WITH_VECTORS = Weights(lead=9.5, standing=0.8, coverage=2.0, offset=-6.3)
WORDS_ALONE = Weights(lead=3.4, coverage=5.0, offset=-6.2)


def lead(value: float, others: Sequence[float]) -> float:
    """Return how far a value of the order is ahead of those of other documents, the best first."""
    rivals = [*others[:RIVALS], *[USUAL_RIVAL] * (RIVALS - len(others))]
    return value - max(statistics.fmean(rivals), LEAST_RIVALS)


def order(evidence: Evidence) -> float:
    """Return the value by which sections are ordered."""
    if evidence.similarity is None:
        return evidence.words
    # In other words than the documents', the best section by words may share one incidental word with the question.
    words = WORDS_SHARE * evidence.words * evidence.most_covered
    found = evidence.similarity + DOCUMENT_SHARE * evidence.document + words
    return found if evidence.reading is None else found + evidence.reading.likeness


def on_calibrated_scale(similarities: Vectors) -> Vectors:
    """Return the similarities of a model for which nothing was calibrated, on the scale of the one that was.

    Models differ in how similar they find unrelated texts, and how much they tell texts apart. Both are seen in the
    similarities of all sections with one question.
    """
    spread = similarities.std() or 1.0
    return USUAL_SIMILARITY + (similarities - similarities.mean()) * (USUAL_SPREAD / spread)


def confidence(evidence: Evidence) -> float:
    """Return from 0 to 1 how likely a section is to answer the question."""
    if evidence.reading is not None:
        weights = READ
    elif evidence.similarity is not None:
        weights = WITH_VECTORS
    else:
        weights = WORDS_ALONE
    return 1 / (1 + math.exp(-log_odds(weights, evidence)))


def log_odds(weights: Weights, evidence: Evidence) -> float:
    """Return the log-odds of a right section."""
    return (
        weights.offset
        + weights.lead * evidence.lead
        + weights.answered * (0.0 if evidence.reading is None else evidence.reading.answered)
        + weights.standing * evidence.standing
        + weights.coverage * evidence.coverage
    )
