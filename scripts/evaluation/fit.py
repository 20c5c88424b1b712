"""Fit the weights of helpdesk.knowledge.scoring to the tuning questions: `python -m scripts.evaluation fit`.

Order comes first. The sections found for a question, and the hand-off to the team, are alternatives of one choice
(softmax). The weights are fitted so that the choice is a section of a right guide, or the hand-off where none is right.
Confidence comes second: a logistic regression of whether the first section belongs to a right guide.

Cross-validation fits both again without one fold of the questions and judges that fold. Its figures are honest as far
as the weights go. They also set the offset of confidence: a share `HANDED_OFF` of the unanswerable questions must stay
below `CONFIDENT`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helpdesk.knowledge.features import Features, features_of
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CANDIDATES, by_words
from helpdesk.knowledge.scoring import MOST_LEAD, length
from helpdesk.knowledge.terms import terms_of
from scripts.evaluation.questions import Asked

ROUNDS = 200
STEP = 0.1
ORDER_PENALTY = 2.0  # for large weights, spread over all questions
CONFIDENCE_PENALTY = 2.0
FOLDS = 6
HANDED_OFF = 0.92
# Kinds by writers who knew neither the code nor the other questions. The other kinds look for edge cases on purpose.
INDEPENDENT = {"as-customers-ask", "as-customers-ask-later"}
SMALLEST_PULL = 1e-7  # a section that moves the weights by less in one step is skipped


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with its sections: features, documents and whether each is right; and its number of terms."""

    asked: Asked
    rows: list[tuple[float, ...]]
    documents: list[str]
    right: list[bool]
    terms: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights for order and for confidence, in the order of the fields of `Features`.

    The last three weights for confidence are those of length, lead and the constant 1.
    """

    order: list[float]
    confidence: list[float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A question judged by weights that were fitted without it.

    `total` is the log-odds of its best section, `right` whether that section belongs to a right guide.
    """

    asked: Asked
    total: float
    right: bool


def samples(guides: IndexSearcher, asked: Sequence[Asked]) -> list[Sample]:
    """Return one sample per question."""
    found: list[Sample] = []
    for question in asked:
        terms = terms_of(guides, question.text)
        hits = by_words(guides, question.text, terms, CANDIDATES) if terms else []
        rows = [
            tuple(features._asdict().values()) for features in features_of(guides, question.text, terms, hits)
        ]
        documents = [hit.document_id for hit in hits]
        right = [document in question.guides for document in documents]
        found.append(Sample(question, rows, documents, right, len(terms)))
    return found


def fit(fitted: Sequence[Sample]) -> Weights:
    """Return the weights that fit the samples best."""
    usable = [sample for sample in fitted if sample.rows]
    order = _fit_order(usable)
    return Weights(order, _fit_confidence(usable, order))


def judge(fitted: Sequence[Sample]) -> list[Judged]:
    """Judge each question by weights that were fitted to other questions.

    A question without any section has no confidence.
    """
    found: dict[int, Judged] = {}
    for fold in range(FOLDS):
        weights = fit([sample for at, sample in enumerate(fitted) if at % FOLDS != fold])
        for at in range(fold, len(fitted), FOLDS):
            sample = fitted[at]
            if sample.rows:
                total = math.sumprod(weights.confidence, _first(sample, weights.order))
                right = sample.right[_best(sample, weights.order)]
                found[at] = Judged(sample.asked, total, right)
            else:
                found[at] = Judged(sample.asked, -math.inf, right=False)
    return [found[at] for at in range(len(fitted))]


def threshold(judged: Sequence[Judged]) -> float:
    """Return the total above which a question is answered.

    It hands off a share `HANDED_OFF` of the unanswerable questions of the kinds in `INDEPENDENT`.
    """
    totals = sorted(one.total for one in judged if not one.asked.guides and one.asked.kind in INDEPENDENT)
    answered = int((1 - HANDED_OFF) * len(totals))
    return (totals[-answered - 1] + totals[-answered]) / 2


def _fit_order(fitted: Sequence[Sample]) -> list[float]:
    usable = [sample for sample in fitted if any(sample.right) or not sample.asked.guides]

    def gradient(values: list[float]) -> list[float]:
        total = [ORDER_PENALTY * value / len(usable) for value in values[:-1]] + [0.0]
        for sample in usable:
            _add_choice(total, values, sample, 1 / len(usable))
        return total

    return _descend(gradient, len(Features._fields) + 1)[:-1]  # the last is what handing off is worth


def _fit_confidence(fitted: Sequence[Sample], order: Sequence[float]) -> list[float]:
    rows = [_first(sample, order) for sample in fitted]
    goals = [float(sample.right[_best(sample, order)]) for sample in fitted]

    def gradient(values: list[float]) -> list[float]:
        total = [CONFIDENCE_PENALTY * value / len(rows) for value in values[:-1]] + [0.0]
        for row, goal in zip(rows, goals, strict=True):
            off = 1 / (1 + math.exp(-math.sumprod(values, row))) - goal
            for at, part in enumerate(row):
                total[at] += off * part / len(rows)
        return total

    return _descend(gradient, len(rows[0]))


def _best(sample: Sample, order: Sequence[float]) -> int:
    values = [math.sumprod(order, row) for row in sample.rows]
    return max(range(len(values)), key=values.__getitem__)


def _first(sample: Sample, order: Sequence[float]) -> tuple[float, ...]:
    """Return the inputs of confidence in the first section: its features, the question's length, its lead and 1."""
    values = [math.sumprod(order, row) for row in sample.rows]
    best = _best(sample, order)
    rivals = [
        value
        for value, document in zip(values, sample.documents, strict=True)
        if document != sample.documents[best]
    ]
    lead = min(values[best] - max(rivals), MOST_LEAD) if rivals else MOST_LEAD
    return (*sample.rows[best], length(sample.terms), lead, 1.0)


def _add_choice(total: list[float], values: list[float], sample: Sample, share: float) -> None:
    weights = values[:-1]
    sums = [*(math.sumprod(weights, row) for row in sample.rows), values[-1]]
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
        if abs(pull) > SMALLEST_PULL:
            for at, feature in enumerate(row):
                total[at] += pull * feature


def _descend(gradient: Callable[[list[float]], list[float]], size: int) -> list[float]:
    """Return the minimum of a function, given its gradient, by Adam."""
    values, slope, square = [0.0] * size, [0.0] * size, [0.0] * size
    for turn in range(1, ROUNDS + 1):
        for at, change in enumerate(gradient(values)):
            slope[at] = 0.9 * slope[at] + 0.1 * change
            square[at] = 0.99 * square[at] + 0.01 * change * change
            scale = math.sqrt(square[at] / (1 - 0.99**turn)) + 1e-8
            values[at] -= STEP * slope[at] / (1 - 0.9**turn) / scale
    return values
