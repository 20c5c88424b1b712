"""The embedders of Amazon Bedrock: Titan Text Embeddings V2, and Cohere's Embed 3 and 4.

https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.platform import clients
from helpdesk.platform.logging import logger
from helpdesk.search.embeddings.embedder import EmbeddingFailed, Vectors

TITAN_DIMENSIONS = 512
"""Titan returns 256, 512 or 1,024. AWS measured 99 % of the quality of 1,024 at 512, for half the memory."""

COHERE_4_DIMENSIONS = 512
COHERE_TEXTS = 96  # the most in one call
COHERE_CHARACTERS = 2_048  # the most in one text of Embed 3
TITAN_CHARACTERS = 50_000

_NOT_IN_KIND = re.compile(r"[^a-z0-9.-]+")


class BedrockEmbedder:
    """The embedder of one Bedrock model, by its id or that of an inference profile (`eu.cohere.embed-v4:0`)."""

    calibrated = False
    languages: frozenset[str] | None = None
    multilingual = None

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self._is_cohere = "cohere.embed" in model_id
        self._dimensions = (
            None
            if "cohere.embed-english-v3" in model_id or "cohere.embed-multilingual-v3" in model_id
            else COHERE_4_DIMENSIONS
            if self._is_cohere
            else TITAN_DIMENSIONS
        )

    @property
    def kind(self) -> str:
        """The name of the model and, where it has a choice, of the dimensions."""
        name = _NOT_IN_KIND.sub("-", self.model_id.lower())
        return f"{name}-{self._dimensions}" if self._dimensions else name

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, one row each: a call for each 96 texts of Cohere, for each text of Titan.

        Raises EmbeddingFailed.
        """
        if not self._is_cohere:
            return np.stack([self._titan(text) for text in texts])
        parts = [
            self._cohere(texts[start : start + COHERE_TEXTS], "search_document")
            for start in range(0, len(texts), COHERE_TEXTS)
        ]
        return np.concatenate(parts)

    def question(self, text: str) -> Vectors:
        """Return the vector of a question. One call. Raises EmbeddingFailed."""
        vector: Vectors = self._cohere([text], "search_query")[0] if self._is_cohere else self._titan(text)
        return vector

    def _titan(self, text: str) -> Vectors:
        answer = self._invoke(
            {"inputText": text[:TITAN_CHARACTERS], "dimensions": self._dimensions, "normalize": True}
        )
        return _unit(np.asarray(answer["embedding"], dtype=np.float32))

    def _cohere(self, texts: Sequence[str], input_type: str) -> Vectors:
        body: dict[str, Any] = {
            "texts": [text[:COHERE_CHARACTERS] for text in texts],
            "input_type": input_type,
            "truncate": "END" if self._dimensions is None else "RIGHT",
            "embedding_types": ["float"],
        }
        if self._dimensions is not None:
            body["output_dimension"] = self._dimensions
        found = self._invoke(body)["embeddings"]
        rows = found["float"] if isinstance(found, dict) else found
        return _unit(np.asarray(rows, dtype=np.float32))

    def _invoke(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            response = clients.bedrock().invoke_model(
                modelId=self.model_id,
                body=json.dumps(body),
                contentType="application/json",
                accept="application/json",
            )
            answer: dict[str, Any] = json.loads(response["body"].read())
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            logger.warning("embedding_failed", extra={"error": code})
            raise EmbeddingFailed(code) from None
        return answer


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors scaled to length one. A vector of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
