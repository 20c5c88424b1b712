"""Fitting the weights of helpdesk.knowledge.scoring to the tuning questions: `python -m scripts.evaluation fit`.

Order first: a question's sections, and handing off, are taken for alternatives of which one is chosen (softmax); what
is fitted is that the choice falls on a section of a right guide, or on handing off where none is right. Then trust: a
logistic regression tells of the first section of each question whether it is of a right guide.

Both are also fitted without a fold of the questions at a time, to judge that fold. That gives honest figures (as far as
weights go), and the offset of trust: of the unanswerable questions, `HANDED_OFF` must stay below `CONFIDENT` so judged.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields

from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CANDIDATES, by_words
from helpdesk.knowledge.scoring import MOST_LEAD, length
from helpdesk.knowledge.signs import Signs, signs_of
from helpdesk.knowledge.terms import terms_of
from scripts.evaluation.questions import Asked

ROUNDS = 200
STEP = 0.1
ORDER_PENALTY = 2.0  # for large weights, spread over all questions
TRUST_PENALTY = 2.0
FOLDS = 6
HANDED_OFF = 0.92
# The kinds that somebody wrote who knew neither the code nor the other questions: the others seek the edges on purpose.
INDEPENDENT = {"as-customers-ask", "as-customers-ask-later"}
SMALLEST_PULL = 1e-7  # of a section on the weights, in one step


@dataclass(frozen=True, slots=True)
class Sample:
    """A question's sections: their signs, documents and whether they are right; and the question's terms."""

    asked: Asked
    rows: list[tuple[float, ...]]
    documents: list[str]
    right: list[bool]
    terms: int


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights for order and for trust, as `Signs` has them; behind trust's those of length, lead and one."""

    order: list[float]
    trust: list[float]


@dataclass(frozen=True, slots=True)
class Judged:
    """What weights that have not seen a question make of it: how far its best section is trusted, and is it right."""

    asked: Asked
    total: float
    right: bool


def samples(guides: IndexSearcher, asked: Sequence[Asked]) -> list[Sample]:
    """Return for each question its sections' signs, their documents, and which of them are right."""
    found: list[Sample] = []
    for question in asked:
        terms = terms_of(guides, question.text)
        hits = by_words(guides, question.text, terms, CANDIDATES) if terms else []
        rows = [astuple(signs) for signs in signs_of(guides, question.text, terms, hits)]
        documents = [hit.document_id for hit in hits]
        right = [document in question.guides for document in documents]
        found.append(Sample(question, rows, documents, right, len(terms)))
    return found


def fit(fitted: Sequence[Sample]) -> Weights:
    """Return the weights that suit samples best."""
    usable = [sample for sample in fitted if sample.rows]
    order = _fit_order(usable)
    return Weights(order, _fit_trust(usable, order))


def judge(fitted: Sequence[Sample]) -> list[Judged]:
    """Judge each question by weights that were fitted to others. One without any section is trusted in nothing."""
    found: dict[int, Judged] = {}
    for fold in range(FOLDS):
        weights = fit([sample for at, sample in enumerate(fitted) if at % FOLDS != fold])
        for at in range(fold, len(fitted), FOLDS):
            sample = fitted[at]
            if sample.rows:
                total = math.sumprod(weights.trust, _first(sample, weights.order))
                right = sample.right[_best(sample, weights.order)]
                found[at] = Judged(sample.asked, total, right)
            else:
                found[at] = Judged(sample.asked, -math.inf, right=False)
    return [found[at] for at in range(len(fitted))]


def threshold(judged: Sequence[Judged]) -> float:
    """Return above which total a question is answered, so that enough unanswerable ones of `INDEPENDENT` are not."""
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

    return _descend(gradient, len(fields(Signs)) + 1)[:-1]  # the last is what handing off is worth


def _fit_trust(fitted: Sequence[Sample], order: Sequence[float]) -> list[float]:
    rows = [_first(sample, order) for sample in fitted]
    goals = [float(sample.right[_best(sample, order)]) for sample in fitted]

    def gradient(values: list[float]) -> list[float]:
        total = [TRUST_PENALTY * value / len(rows) for value in values[:-1]] + [0.0]
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
    """Return what trust in the first section is told by: its signs, the question's length, its lead, and one."""
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
