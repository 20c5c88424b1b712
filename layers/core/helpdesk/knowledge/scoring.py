"""Which section answers a question best, and how far it may be trusted, from 0 to 1.

BM25's numbers grow with the question's length and the corpus, so no threshold on them means the same twice. Here the
signs of each section are weighed twice: once for the order of sections, and once, together with the length of the
question and the lead over other documents, for trust. The weights are fitted to docs/evaluation/questions.json by
`python -m scripts.evaluation fit`.
"""

import math
from dataclasses import fields
from operator import attrgetter

from helpdesk.knowledge.signs import Signs

ORDER = Signs(
    sentence=0.06,
    asked=1.22,
    document=1.79,
    names=2.05,
    exact=3.23,
    exact_sentence=2.95,
    near=2.34,
    held=2.96,
    missing=-3.28,
    unknown=-1.79,
)

TRUST = Signs(
    sentence=0.20,
    asked=0.08,
    document=0.20,
    names=1.35,
    exact=1.51,
    exact_sentence=1.40,
    near=1.23,
    held=1.42,
    missing=-2.12,
    unknown=-1.67,
)
TRUST_LENGTH = 0.37
"""For each e-fold of the question's terms."""

TRUST_LEAD = 0.74
TRUST_OFFSET = -3.82
MOST_LEAD = 3.0

_numbers = attrgetter(*(field.name for field in fields(Signs)))  # `astuple` copies deeply, which takes long


def order(signs: Signs) -> float:
    """Return what sections are ordered by."""
    return float(math.sumprod(_numbers(ORDER), _numbers(signs)))


def length(terms: int) -> float:
    """Return what the length of a question counts for trust. One word and two are the same: a heading may say all."""
    return math.log(max(terms, 2))


def trust(signs: Signs, terms: int, lead: float) -> float:
    """Return from 0 to 1 how far a section may be trusted to answer a question of so many terms.

    `lead` is by how much its order exceeds that of the best section of another document.
    """
    total = float(math.sumprod(_numbers(TRUST), _numbers(signs))) + TRUST_OFFSET
    total += TRUST_LENGTH * length(terms) + TRUST_LEAD * max(-MOST_LEAD, min(lead, MOST_LEAD))
    return 1 / (1 + math.exp(-total))
