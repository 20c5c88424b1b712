"""Which section answers a question best, and how far it may be trusted, from 0 to 1.

BM25's numbers grow with the question's length and the corpus, so no threshold on them means the same twice. Here the
signs of each section are weighed twice: once for the order of sections, and once, together with the length of the
question and the lead over other documents, for trust. The weights are fitted to docs/evaluation/questions.json by
`python -m scripts.evaluation fit`.
"""

import math
from dataclasses import astuple

from helpdesk.knowledge.signs import Signs

ORDER = Signs(
    sentence=0.76,
    asked=1.15,
    document=1.78,
    names=1.44,
    exact=3.12,
    exact_sentence=2.53,
    near=1.97,
    held=2.42,
    missing=-2.88,
    unknown=-1.69,
)

TRUST = Signs(
    sentence=0.48,
    asked=0.26,
    document=0.26,
    names=1.11,
    exact=1.53,
    exact_sentence=1.07,
    near=1.03,
    held=1.33,
    missing=-1.83,
    unknown=-1.62,
)
TRUST_LENGTH = 0.50
"""For each e-fold of the question's terms."""

TRUST_LEAD = 0.60
TRUST_OFFSET = -4.38
MOST_LEAD = 3.0


def order(signs: Signs) -> float:
    """Return what sections are ordered by."""
    return math.sumprod(astuple(ORDER), astuple(signs))


def length(terms: int) -> float:
    """Return what the length of a question counts for trust. One word and two are the same: a heading may say all."""
    return math.log(max(terms, 2))


def trust(signs: Signs, terms: int, lead: float) -> float:
    """Return from 0 to 1 how far a section may be trusted to answer a question of so many terms.

    `lead` is by how much its order exceeds that of the best section of another document.
    """
    total = math.sumprod(astuple(TRUST), astuple(signs)) + TRUST_OFFSET
    total += TRUST_LENGTH * length(terms) + TRUST_LEAD * max(-MOST_LEAD, min(lead, MOST_LEAD))
    return 1 / (1 + math.exp(-total))
