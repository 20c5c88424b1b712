"""Documents as the index takes them: split into sections, in their language, with the vectors of their sections.

A vector takes about 70 ms of processor time, so a document of 900,000 bytes takes a minute or two. The vectors of a
long document are saved every few seconds. A worker that is stopped, or that runs out of time, loses no more than that:
the next one continues with what is saved.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from helpdesk.knowledge import prose
from helpdesk.knowledge.index_format import IndexedDocument
from helpdesk.knowledge.language import language_of
from helpdesk.knowledge.markdown import Section, sections
from helpdesk.knowledge.vector_texts import texts_of
from helpdesk.search.embeddings.embedder import Embedder, Vectors
from helpdesk.search.s3_index.vectors import DocumentVectors

SAVED_AT_ONCE = 96
"""Vectors between two saves: about seven seconds, and one call of Cohere's models. A shorter document is not saved."""


class OutOfTime(Exception):
    """The worker's time is over. What was embedded so far is saved."""


class VectorStore(Protocol):
    """Keeps the vectors of one document while they are made, by the number of the first one."""

    def load(self, start: int) -> Vectors | None:
        """Return vectors that were saved; None if there are none."""

    def save(self, start: int, vectors: Vectors) -> None:
        """Save vectors."""


def prepare(
    document_id: str,
    revision: str,
    version: int,
    title: str,
    url: str | None,
    text: str,
    model: Embedder,
    *,
    path: str | None = None,
    store: VectorStore | None = None,
    time_is_left: Callable[[], bool] = lambda: True,
) -> IndexedDocument:
    """Return a document as the index takes it. `path` is the file that it is a copy of.

    Raises EmbeddingFailed, OutOfTime.
    """
    parts = sections(title, prose.visible(text, path))
    spoken = language_of("\n".join(part.text for part in parts[:10]))
    vectors = None
    if model.languages is None or spoken in model.languages:
        vectors = _vectors(document_id, title, parts, model, store, time_is_left)
    return IndexedDocument(document_id, revision, version, title, url, spoken, parts, vectors)


def _vectors(
    document_id: str,
    title: str,
    parts: Sequence[Section],
    model: Embedder,
    store: VectorStore | None,
    time_is_left: Callable[[], bool],
) -> DocumentVectors:
    texts = [(part.position, text) for part in parts for text in texts_of(title, part)]
    made: list[Vectors] = []
    new = 0
    is_long = len(texts) > SAVED_AT_ONCE
    for start in range(0, len(texts), SAVED_AT_ONCE):
        found = store.load(start) if store is not None and is_long else None
        if found is None:
            if new and not time_is_left():  # every try gets further
                raise OutOfTime
            new += 1
            found = model.passages([text for _, text in texts[start : start + SAVED_AT_ONCE]])
            if store is not None and is_long:
                store.save(start, found)
        made.append(found)
    return DocumentVectors.of(document_id, [position for position, _ in texts], np.concatenate(made))
