"""What turns a deployment's texts into vectors: the model that comes with the functions, or one of Amazon Bedrock.

Vectors of different models cannot be compared. An embedder's `kind` names its model and everything else that its
vectors depend on; each kind has an index of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

type Vectors = NDArray[np.float32]
"""One vector, or one for each row. (The value of an alias is read by type checkers alone.)"""


class EmbeddingFailed(Exception):
    """The model is throttled, slow, or not open to this account. The queue tries again."""


class Embedder(Protocol):
    """Turns texts into vectors of length one."""

    @property
    def model_id(self) -> str:
        """The id that `embedder` takes for it."""

    @property
    def kind(self) -> str:
        """The name of the model and of all that its vectors depend on: lower-case letters, digits and `.-`."""

    @property
    def calibrated(self) -> bool:
        """Whether confidence was calibrated with this model's similarities."""

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that the model knows; None for all."""

    @property
    def multilingual(self) -> "Embedder | None":
        """The embedder for questions in languages that this one does not know; None if there is none."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts to be found, one row each. Raises EmbeddingFailed."""

    def question(self, text: str) -> Vectors:
        """Return the vector of a question. Raises EmbeddingFailed."""


def embedder(model_id: str) -> Embedder:
    """Return the embedder of a deployment: that of a Bedrock model, or the built-in one for an empty ID."""
    # Imported here, so that a function which does not search loads neither model nor libraries.
    if model_id:
        from helpdesk.search.embeddings.bedrock import BedrockEmbedder  # noqa: PLC0415

        return BedrockEmbedder(model_id)
    from helpdesk.search.embeddings.minilm import MiniLm  # noqa: PLC0415

    return MiniLm()
