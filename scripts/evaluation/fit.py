"""Fits the weights of helpdesk.knowledge.scoring to the questions of some corpora, and judges them by those of others.

`python -m scripts.evaluation fit FOLDER=QUESTIONS ...`

Confidence is the logistic regression of whether the first section belongs to a right document. No weight may be
negative. The offset is then lowered, so that a confidence of 0.5 stands for a chance of `LEAST_CHANCE`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helpdesk.knowledge import language, spelling
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import candidates
from helpdesk.knowledge.scoring import MOST_LEAD, Weights, length
from helpdesk.knowledge.terms import terms_of
from helpdesk.search.embeddings.embedder import Embedder
from scripts.evaluation.measure import Figures
from scripts.evaluation.questions import Asked

ROUNDS = 4_000
STEP = 0.02
PENALTY = 0.002
LEAST_CHANCE = 0.65
"""The chance of being right at which the agent answers. A wrong answer costs as much as two that are handed off."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with the numbers of its first section, and whether that section is of a right document."""

    answerable: bool
    numbers: tuple[float, ...]
    right: bool


def samples(
    corpus: IndexSearcher, asked: Sequence[Asked], model: Embedder, *, words_alone: bool
) -> list[Sample]:
    """Return one sample per question. Questions that find nothing are left out."""
    found: list[Sample] = []
    for question in asked:
        text = spelling.corrected(corpus, question.text, language.ENGLISH)
        terms = terms_of(corpus, text, language.ENGLISH)
        ordered = candidates(corpus, text, "-" if words_alone else language.ENGLISH, terms, model)
        if not ordered:
            continue
        evidence = ordered[0].evidence
        numbers = (
            evidence.standing,
            evidence.coverage,
            max(-MOST_LEAD, min(evidence.lead, MOST_LEAD)),
            length(evidence.terms),
        )
        right = ordered[0].hit.document_id in question.documents
        found.append(Sample(bool(question.documents), numbers, right))
    return found


def fit(fitted: Sequence[Sample]) -> Weights:
    """Return the weights that fit the samples best, with the offset for `LEAST_CHANCE`."""
    rows = np.array([sample.numbers for sample in fitted])
    goals = np.array([sample.right for sample in fitted], dtype=float)
    scale = rows.std(axis=0) + 1e-9
    weights, offset = np.zeros(rows.shape[1]), 0.0
    for _ in range(ROUNDS):
        off = 1 / (1 + np.exp(-(rows / scale @ weights + offset))) - goals
        weights = np.maximum(
            0, weights - STEP * ((rows / scale).T @ off / len(goals) + PENALTY * weights) * 10
        )
        offset -= STEP * 10 * float(off.mean())
    standing, coverage, lead, question_length = map(float, weights / scale)
    margin = math.log(LEAST_CHANCE / (1 - LEAST_CHANCE))
    return Weights(standing, coverage, lead, question_length, offset - margin)


def judge(weights: Weights, judged: Sequence[Sample]) -> Figures:
    """Count what the agent does with these weights."""
    answerable = [sample for sample in judged if sample.answerable]
    unanswerable = [sample for sample in judged if not sample.answerable]
    right = sum(_total(weights, sample) >= 0 and sample.right for sample in answerable)
    return Figures(
        answerable=len(answerable),
        right=right,
        wrong=sum(_total(weights, sample) >= 0 for sample in answerable) - right,
        unanswerable=len(unanswerable),
        handed_off=sum(_total(weights, sample) < 0 for sample in unanswerable),
        first=sum(sample.right for sample in answerable),
        among_five=0,
    )


def both_ways(by_corpus: Mapping[str, Sequence[Sample]]) -> list[str]:
    """Return a report: weights fitted to each corpus and to all, judged by each."""
    lines: list[str] = []
    for name in [*by_corpus, "all"]:
        chosen = [name] if name != "all" else list(by_corpus)
        weights = fit([sample for each in chosen for sample in by_corpus[each]])
        shown = ", ".join(f"{field}={getattr(weights, field):.2f}" for field in Weights.__struct_fields__)
        lines += [f"Fitted to {name}: Weights({shown})"]
        for other, judged in by_corpus.items():
            found = judge(weights, judged)
            given = found.right + found.wrong
            lines.append(
                f"  {other}: {found.right} of {found.answerable} answered rightly, {found.wrong} wrongly "
                f"({found.right / max(given, 1):.0%} of the answers right), "
                f"{found.handed_off} of {found.unanswerable} unanswerable handed off"
            )
    return lines


def _total(weights: Weights, sample: Sample) -> float:
    own = (weights.standing, weights.coverage, weights.lead, weights.length)
    return weights.offset + math.sumprod(own, sample.numbers)
