"""Late interaction: how much of a question a section answers, word by word.

A vector of a section is the mean of its tokens' vectors, so what one sentence says is blurred by the others. Here each
token of the question looks for the token of the section that is most like it (the MaxSim of ColBERT,
https://arxiv.org/abs/2004.12832). The model reads the best window of each section again for that, which takes 40 to
80 ms of a processor. Four sections put the right document first as often as twelve (docs/decisions/0127).
"""

import math
from collections.abc import Sequence

import numpy as np

from helpdesk.knowledge import language
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.markdown import Section
from helpdesk.knowledge.stopwords import STOP_WORDS
from helpdesk.knowledge.terms import Corpus, is_incidental, rarity
from helpdesk.knowledge.vectorizing import texts_of
from helpdesk.platform.record import Record
from helpdesk.search.embeddings.embedder import Embedder, Vectors

SECTIONS = 4
"""The sections that are read for a question."""

SECTIONS_OF_DOCUMENT = 2
"""The most of one document, so that a long one leaves room for others."""

UNRELATED, SAME = 0.3, 0.7
"""The likeness of tokens that have nothing in common, and of tokens that mean the same. No two are less alike."""


class Reading(Record):
    """How much of a question a section answers, from 0 to 1.

    `likeness` is of all words, also of "how" and "my", whose vectors hold what is asked about the others: the section
    that answers is like the question as a whole. `answered` is of the words that say what the question is about. Each
    counts for nothing if the section only has what is unrelated, so that one that is missing shows.
    """

    likeness: float
    answered: float


def worth_reading(ordered: Sequence[Hit]) -> list[Hit]:
    """Return the sections to read, of those in an order."""
    found: list[Hit] = []
    for hit in ordered:
        if sum(other.document_id == hit.document_id for other in found) < SECTIONS_OF_DOCUMENT:
            found.append(hit)
    return found[:SECTIONS]


def read(
    corpus: Corpus, question: str, spoken: str, vector: Vectors, hits: Sequence[Hit], model: Embedder
) -> list[Reading]:
    """Return how much of a question each section answers; nothing if the model has no vectors of tokens.

    `vector` is the question's. Rare words count more, by the root of their inverse document frequency.
    """
    asked = model.tokens(question)
    if asked is None:
        return []
    weights = np.array([_weight(corpus, word, spoken) for word in asked.words], dtype=np.float32)
    subject = np.where([word in STOP_WORDS for word in asked.words], 0.0, weights)
    if not subject.any():
        subject = weights
    found = []
    for hit in hits:
        texts = texts_of(hit.title, Section(hit.heading, hit.text, hit.position))
        best = corpus.vectors.best_row(vector, hit.document_id, hit.position)
        window = model.tokens(texts[min(best, len(texts) - 1)])
        if window is None:
            return []
        likeness = (asked.vectors @ window.vectors.T).max(axis=1, initial=0)
        clear = np.clip((likeness - UNRELATED) / (SAME - UNRELATED), 0, 1)
        found.append(Reading(_mean(likeness, weights), _mean(clear, subject)))
    return found


def _weight(corpus: Corpus, word: str, spoken: str) -> float:
    terms = language.terms(word, spoken)
    if is_incidental(word) and not any(map(corpus.frequency, terms)):
        return 0.0
    return math.sqrt(max((rarity(corpus, term) for term in terms), default=0.0))


def _mean(values: Vectors, weights: Vectors) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else 0.0
