"""How large an index is for its text, with the vectors of all sections."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from helpdesk.accounts.quotas.errors import KNOWLEDGE_QUOTAS
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge.index import MAX_INDEX_BYTES, SEARCHABLE_BYTES
from helpdesk.search.embeddings.embedder import Vectors
from scripts.evaluation.questions import GUIDES
from tests.support.corpus import searcher


class AnyVector:
    """A model of a given size that takes no time."""

    model_id = "any"
    kind = "any"
    calibrated = True
    languages: frozenset[str] | None = None

    def __init__(self, dimensions: int, multilingual: "AnyVector | None" = None) -> None:
        self._dimensions = dimensions
        self.multilingual = multilingual

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), self._dimensions), 0.05, dtype=np.float32)

    def question(self, text: str) -> Vectors:
        found: Vectors = self.passages([text])[0]
        return found


def test_the_index_of_as_much_text_as_is_promised_fits_into_its_limit(tmp_path: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in GUIDES.glob("*.md")}
    searcher(tmp_path, [(name, name, text) for name, text in texts.items()], AnyVector(384, AnyVector(512)))

    index_bytes = sum(path.stat().st_size for path in tmp_path.iterdir())
    share = index_bytes / sum(len(text.encode()) for text in texts.values())

    # The guides have shorter sections than most texts, and so more vectors.
    assert share * KNOWLEDGE_QUOTAS[Plan.STANDARD].size < MAX_INDEX_BYTES
    assert share * 0.8 * SEARCHABLE_BYTES < MAX_INDEX_BYTES
