"""Which section answers a question best, and how far it may be trusted, from 0 to 1.

BM25's numbers grow with the question's length and the corpus, so no threshold on them means the same twice. Here the
signs of each section are weighed twice: once for the order of sections, and once, together with the length of the
question and the lead over other documents, for trust. The weights are fitted to docs/evaluation/questions.json by
`python -m scripts.evaluation fit`.
"""

import math
from dataclasses import astuple

from helpdesk.knowledge.signs import Signs

ORDER = Signs(sentence=0.58, asked=1.18, document=1.82, names=1.49, exact=3.10, exact_sentence=2.75, near=2.26, held=2.60, missing=-3.21, unknown=-1.82)

TRUST = Signs(sentence=0.60, asked=0.10, document=0.07, names=0.97, exact=1.45, exact_sentence=1.37, near=1.10, held=1.40, missing=-2.11, unknown=-1.58)
TRUST_LENGTH = 0.50
"""For each e-fold of the question's terms."""

TRUST_LEAD = 0.64
TRUST_OFFSET = -4.26
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
