"""Order of sections for a question, and confidence in each, from 0 to 1.

BM25 scores grow with the length of the question and with the corpus, so no threshold on them means the same twice. The
features of each section are weighted twice: once for the order of sections and once for confidence. Confidence also
depends on the length of the question and on the section's lead over other documents. The weights are fitted to
docs/evaluation/questions.json by `python -m scripts.evaluation fit`.
"""

import math
from operator import attrgetter

from helpdesk.knowledge.features import Features

ORDER = Features(
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

CONFIDENCE = Features(
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
CONFIDENCE_LENGTH = 0.37
"""Added each time the number of the question's terms grows by a factor of e."""

CONFIDENCE_LEAD = 0.74
CONFIDENCE_OFFSET = -3.82
MOST_LEAD = 3.0

_numbers = attrgetter(*Features._fields)


def order(features: Features) -> float:
    """Return the value by which sections are ordered."""
    return float(math.sumprod(_numbers(ORDER), _numbers(features)))


def length(terms: int) -> float:
    """Return the length feature of a question.

    One term and two count the same, because one word may be a whole heading.
    """
    return math.log(max(terms, 2))


def confidence(features: Features, terms: int, lead: float) -> float:
    """Return from 0 to 1 how likely a section is to answer a question with this many terms.

    `lead` is the difference between its order value and that of the best section of another document.
    """
    total = float(math.sumprod(_numbers(CONFIDENCE), _numbers(features))) + CONFIDENCE_OFFSET
    total += CONFIDENCE_LENGTH * length(terms) + CONFIDENCE_LEAD * max(-MOST_LEAD, min(lead, MOST_LEAD))
    return 1 / (1 + math.exp(-total))
