"""Fits the weights of helpdesk.knowledge.scoring to the questions of some corpora, and judges them by those of others.

`python -m scripts.evaluation fit FOLDER=QUESTIONS ...`

Confidence is the logistic regression of whether the first section belongs to a right document. No weight may be
negative, and each corpus counts the same, however many questions it has. The offset is then lowered, so that a
confidence of 0.5 stands for a chance of `LEAST_CHANCE`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helpdesk.knowledge import language, spelling
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import candidates
from helpdesk.knowledge.scoring import Evidence, Weights, log_odds
from helpdesk.knowledge.terms import terms_of
from helpdesk.search.embeddings.embedder import Embedder
from scripts.evaluation.measure import Figures
from scripts.evaluation.questions import Asked

ROUNDS = 4_000
STEP = 0.4
PENALTY = 0.002
INPUTS = {
    "read": ("lead", "answered"),
    "vectors": ("lead", "standing", "coverage"),
    "words": ("lead", "coverage"),
}
"""The evidence that counts, by what is known of a section."""

LEAST_CHANCE = {"read": 0.6, "vectors": 0.6, "words": 0.75}
"""The chance of being right at which the agent answers. A wrong answer costs as much as one and a half hand-offs; by
words alone, questions that no document answers look more like the others."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with the evidence for its first section, and whether that section is of a right document."""

    answerable: bool
    evidence: Evidence
    right: bool


def samples(corpus: IndexSearcher, asked: Sequence[Asked], model: Embedder, known: str) -> list[Sample]:
    """Return one sample per question. Questions that find nothing are left out.

    `known` is what is known of a section, as in `INPUTS`. Without a language that the model knows, words are compared.
    """
    found: list[Sample] = []
    for question in asked:
        text = spelling.corrected(corpus, question.text, language.ENGLISH)
        terms = terms_of(corpus, text, language.ENGLISH)
        ordered = candidates(corpus, text, "-" if known == "words" else language.ENGLISH, terms, model)
        if ordered:
            right = ordered[0].hit.document_id in question.documents
            found.append(Sample(bool(question.documents), ordered[0].evidence, right))
    return found


def fit(by_corpus: Sequence[Sequence[Sample]], known: str) -> Weights:
    """Return the weights that fit the samples best, with the offset for `LEAST_CHANCE`."""
    inputs = INPUTS[known]
    every = [sample for own in by_corpus for sample in own]
    shares = np.concatenate([np.full(len(own), 1 / len(own)) for own in by_corpus]) / len(by_corpus)
    rows = np.array([[_value(sample.evidence, name) for name in inputs] for sample in every])
    goals = np.array([sample.right for sample in every], dtype=float)
    scale, middle = rows.std(axis=0) + 1e-9, rows.mean(axis=0)
    rows = (rows - middle) / scale
    weights, offset = np.zeros(len(inputs)), 0.0
    for _ in range(ROUNDS):
        off = (1 / (1 + np.exp(-(rows @ weights + offset))) - goals) * shares
        weights = np.maximum(0, weights - STEP * (rows.T @ off + PENALTY * weights))
        offset -= STEP * float(off.sum())
    weights /= scale
    offset -= float(weights @ middle)
    margin = math.log(LEAST_CHANCE[known] / (1 - LEAST_CHANCE[known]))
    fitted = dict(zip(inputs, map(float, weights), strict=True))
    return Weights(offset=offset - margin, **fitted)


def judge(weights: Weights, judged: Sequence[Sample]) -> Figures:
    """Count what the agent does with these weights."""
    answerable = [sample for sample in judged if sample.answerable]
    unanswerable = [sample for sample in judged if not sample.answerable]
    right = sum(log_odds(weights, sample.evidence) >= 0 and sample.right for sample in answerable)
    return Figures(
        answerable=len(answerable),
        right=right,
        wrong=sum(log_odds(weights, sample.evidence) >= 0 for sample in answerable) - right,
        unanswerable=len(unanswerable),
        handed_off=sum(log_odds(weights, sample.evidence) < 0 for sample in unanswerable),
        first=sum(sample.right for sample in answerable),
        among_five=0,
    )


def each_left_out(by_corpus: Mapping[str, Sequence[Sample]], known: str) -> list[str]:
    """Return a report: weights fitted to all corpora but one, judged by that one; and those fitted to all."""
    lines: list[str] = []
    for name, judged in by_corpus.items():
        others = [own for other, own in by_corpus.items() if other != name]
        if others:
            found = judge(fit(others, known), judged)
            given = found.right + found.wrong
            lines.append(
                f"{name}, by the others: {found.right} of {found.answerable} answered rightly, {found.wrong} wrongly "
                f"({found.right / max(given, 1):.0%} of the answers right), "
                f"{found.handed_off} of {found.unanswerable} unanswerable handed off"
            )
    weights = fit(list(by_corpus.values()), known)
    shown = ", ".join(f"{field}={getattr(weights, field):.1f}" for field in Weights.__struct_fields__)
    return [*lines, f"Fitted to all: Weights({shown})"]


def _value(evidence: Evidence, name: str) -> float:
    if name == "answered" and evidence.reading is not None:
        return evidence.reading.answered
    return float(getattr(evidence, name, 0.0))
