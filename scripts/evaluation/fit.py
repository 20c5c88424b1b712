"""Fitting the weights of helpdesk.knowledge.scoring to the tuning half: `python -m scripts.evaluation fit`.

Order first: a question's sections, and handing off, are taken for alternatives of which one is chosen (softmax); what
is fitted is that the choice falls on a section of a right guide, or on handing off where none is right. Then trust: a
logistic regression tells of the first section of each question whether it is of a right guide. Its offset is set so
that of the tuning half's unanswerable questions `HANDED_OFF` stay below `CONFIDENT`, each scored with weights that were
fitted without it, and those left aside that earlier tuning has made easy.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields

from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CANDIDATES, by_words
from helpdesk.knowledge.scoring import MOST_LEAD, Signs, length, signs_of, terms_of
from scripts.evaluation.questions import TUNED_BEFORE, Asked

ROUNDS = 250
STEP = 0.1
ORDER_PENALTY = 0.5  # for large weights, spread over all questions
TRUST_PENALTY = 1.0
FOLDS = 6
HANDED_OFF = 0.9


@dataclass(frozen=True, slots=True)
class Sample:
    """A question's sections: their signs, documents and whether they are right; and the question's terms."""

    rows: list[tuple[float, ...]]
    documents: list[str]
    right: list[bool]
    answerable: bool
    tuned_before: bool
    terms: int


def samples(guides: IndexSearcher, asked: Sequence[Asked]) -> list[Sample]:
    """Return for each question its sections' signs, their documents, and which of them are right."""
    found: list[Sample] = []
    for question in asked:
        terms = terms_of(guides, question.text)
        hits = by_words(guides, question.text, terms, CANDIDATES) if terms else []
        if hits:
            rows = [astuple(signs) for signs in signs_of(guides, question.text, terms, hits)]
            documents = [hit.document_id for hit in hits]
            right = [document in question.guides for document in documents]
            found.append(
                Sample(
                    rows, documents, right, bool(question.guides), question.kind == TUNED_BEFORE, len(terms)
                )
            )
    return found


def fit_order(fitted: Sequence[Sample]) -> list[float]:
    """Return the weights for order, as `Signs` has them."""
    usable = [sample for sample in fitted if any(sample.right) or not sample.answerable]

    def gradient(values: list[float]) -> list[float]:
        total = [ORDER_PENALTY * value / len(usable) for value in values[:-1]] + [0.0]
        for sample in usable:
            _add_choice(total, values, sample, 1 / len(usable))
        return total

    return _descend(gradient, len(fields(Signs)) + 1)[:-1]  # the last is what handing off is worth


def fit_trust(fitted: Sequence[Sample], order: Sequence[float]) -> list[float]:
    """Return the weights for trust, with those of length and lead behind the signs'."""
    rows = [(*_first(sample, order), 1.0) for sample in fitted]
    goals = [float(sample.right[_best(sample, order)]) for sample in fitted]

    def gradient(values: list[float]) -> list[float]:
        total = [TRUST_PENALTY * value / len(rows) for value in values[:-1]] + [0.0]
        for row, goal in zip(rows, goals, strict=True):
            off = 1 / (1 + math.exp(-math.sumprod(values, row))) - goal
            for at, part in enumerate(row):
                total[at] += off * part / len(rows)
        return total

    return _descend(gradient, len(rows[0]))


def fit_offset(fitted: Sequence[Sample]) -> float:
    """Return the offset for trust, by questions that the weights have not seen."""
    beside: list[float] = []
    for fold in range(FOLDS):
        seen = [sample for at, sample in enumerate(fitted) if at % FOLDS != fold]
        order = fit_order(seen)
        *weights, bias = fit_trust(seen, order)
        # Folds differ in the scale of their bias: what is compared is the sum with it.
        beside += [
            math.sumprod(weights, _first(sample, order)) + bias
            for sample in fitted[fold::FOLDS]
            if not sample.answerable and not sample.tuned_before
        ]
    beside.sort()
    answered = int((1 - HANDED_OFF) * len(beside))
    return -(beside[-answered - 1] + beside[-answered]) / 2


def _best(sample: Sample, order: Sequence[float]) -> int:
    values = [math.sumprod(order, row) for row in sample.rows]
    return max(range(len(values)), key=values.__getitem__)


def _first(sample: Sample, order: Sequence[float]) -> tuple[float, ...]:
    """Return what trust in the first section is told by: its signs, the length of the question, its lead."""
    values = [math.sumprod(order, row) for row in sample.rows]
    best = _best(sample, order)
    rivals = [
        value
        for value, document in zip(values, sample.documents, strict=True)
        if document != sample.documents[best]
    ]
    lead = min(values[best] - max(rivals), MOST_LEAD) if rivals else MOST_LEAD
    return (*sample.rows[best], length(sample.terms), lead)


def _add_choice(total: list[float], values: list[float], sample: Sample, share: float) -> None:
    sums = [math.sumprod(values[:-1], row) for row in sample.rows] + [values[-1]]
    top = max(sums)
    powers = [math.exp(value - top) for value in sums]
    wanted = [power if good else 0.0 for power, good in zip(powers, [*sample.right, False], strict=True)]
    if not any(wanted):
        wanted[-1] = 1.0
    all_powers, all_wanted = sum(powers), sum(wanted)
    pulls = [
        share * (power / all_powers - wish / all_wanted) for power, wish in zip(powers, wanted, strict=True)
    ]
    total[-1] += pulls[-1]
    for row, pull in zip(sample.rows, pulls, strict=False):
        for at, sign in enumerate(row):
            total[at] += pull * sign


def _descend(gradient: Callable[[list[float]], list[float]], size: int) -> list[float]:
    """Return where a function is least, by Adam."""
    values, slope, square = [0.0] * size, [0.0] * size, [0.0] * size
    for turn in range(1, ROUNDS + 1):
        for at, change in enumerate(gradient(values)):
            slope[at] = 0.9 * slope[at] + 0.1 * change
            square[at] = 0.99 * square[at] + 0.01 * change * change
            scale = math.sqrt(square[at] / (1 - 0.99**turn)) + 1e-8
            values[at] -= STEP * slope[at] / (1 - 0.9**turn) / scale
    return values
