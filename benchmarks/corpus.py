"""Generated documents to fill an index: always the same, with word frequencies as in any language."""

import random
from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate
from typing import Any

import numpy as np

from helpdesk.knowledge.index import IndexedDocument
from helpdesk.knowledge.markdown import sections
from helpdesk.search.embeddings.embedder import Vectors
from helpdesk.search.embeddings.minilm import DIMENSIONS
from helpdesk.search.s3_index.vectors import DocumentVectors

_SYLLABLES = [
    first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "er", "il")
]
VOCABULARY = 8_000
SECTIONS, WORDS = 4, 120


class Writer:
    """Writes documents and asks questions about them."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the same every time is the point
        self._numbers = np.random.default_rng(seed)
        self._words = ["".join(self._random.choices(_SYLLABLES, k=3)) for _ in range(VOCABULARY)]
        # Zipf: the n-th most common word comes up one n-th as often as the first.
        self._weights = [*accumulate(1 / rank for rank in range(1, VOCABULARY + 1))]

    def documents(self, count: int, *, first: int = 0) -> Iterator[IndexedDocument]:
        """Yield documents of four sections with 120 words each."""
        for name, title, text in self.texts(count, first=first):
            parsed = sections(title, text)
            vectors = DocumentVectors.of(name, [part.position for part in parsed], self.vectors(len(parsed)))
            yield IndexedDocument(name, name, 1, title, None, "en", parsed, vectors)

    def texts(self, count: int, *, first: int = 0) -> Iterator[tuple[str, str, str]]:
        """Yield the id, the title and the Markdown of such documents."""
        for number in range(first, first + count):
            title = self._text(4)
            parts = [f"## {self._text(3)}\n\n{self._text(WORDS)}." for _ in range(SECTIONS)]
            yield f"doc_{number:026d}", title, f"# {title}\n\n" + "\n\n".join(parts)

    def question(self) -> str:
        """Return a question of eight words, half of them rare."""
        return f"{self._text(4)} {' '.join(self._random.choices(self._words, k=4))}?"

    def vectors(self, count: int) -> Vectors:
        """Return vectors in random directions, which cost a search what real ones cost."""
        found = self._numbers.standard_normal((count, DIMENSIONS), dtype=np.float32)
        scaled: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
        return scaled

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))


class Bucket:
    """The part of S3 that the index uses, in memory, so that a benchmark measures the index alone."""

    class exceptions:  # noqa: N801 - as botocore's client has it
        """The errors of a client."""

        class NoSuchKey(Exception):
            """There is no such object."""

    def __init__(self) -> None:
        self._objects: dict[str, tuple[bytes, str]] = {}
        self.uploaded = 0
        self.calls = 0

    def get_object(self, *, Key: str, IfNoneMatch: str | None = None, **_: Any) -> dict[str, Any]:  # noqa: N803
        """GetObject."""
        from botocore.exceptions import ClientError  # noqa: PLC0415

        self.calls += 1
        if Key not in self._objects:
            raise self.exceptions.NoSuchKey
        data, etag = self._objects[Key]
        if etag == IfNoneMatch:
            raise ClientError({"Error": {"Code": "304", "Message": ""}}, "GetObject")
        return {"Body": _Body(data), "ETag": etag}

    def put_object(self, *, Key: str, Body: bytes | BytesIO, **_: Any) -> dict[str, Any]:  # noqa: N803
        """PutObject; nobody else writes here, so its conditions hold."""
        self.calls += 1
        data = Body if isinstance(Body, bytes) else Body.read()
        self.uploaded += len(data)
        etag = f'"{self.calls}"'
        self._objects[Key] = (data, etag)
        return {"ETag": etag}

    def list_objects_v2(self, **_: Any) -> dict[str, Any]:
        """ListObjectsV2, of a bucket without garbage."""
        self.calls += 1
        return {}

    def delete_object(self, *, Key: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        """DeleteObject."""
        self.calls += 1
        self._objects.pop(Key, None)
        return {}

    def delete_objects(self, **_: Any) -> dict[str, Any]:
        """DeleteObjects."""
        self.calls += 1
        return {}


class _Body:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, size: int | None = None) -> bytes:
        """Read on."""
        end = len(self._data) if size is None else self._at + size
        part, self._at = self._data[self._at : end], end
        return part
