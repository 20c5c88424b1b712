"""Documents as the index takes them: split into sections, in their language, with the vectors of their sections.

A vector of a whole section says little about any one sentence of it, and the built-in model reads 256 tokens. So a
section has a vector for about every hundred words, and its best one counts.

A vector takes about 70 ms of processor time, and as much again for that of the multilingual model, so a document of
900,000 bytes takes some minutes. The vectors of a long document are saved every few seconds. A worker that is stopped,
or that runs out of time, loses no more than that: the next one continues with what is saved.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Protocol

import numpy as np

from helpdesk.knowledge import prose
from helpdesk.knowledge.index import IndexedDocument
from helpdesk.knowledge.language import language_of
from helpdesk.knowledge.markdown import HEADING_SEPARATOR, Section, sections
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.embedder import Embedder, Vectors
from helpdesk.search.s3_index.vectors import DocumentVectors

PREFIX = "unfinished/"
SAVED_AT_ONCE = 96
"""Vectors between two saves: about seven seconds, and one call of Cohere's models. A shorter document is not saved."""

WINDOW_CHARACTERS = 600
"""The most of a section's text in one vector. Headings come on top of it."""

# No repetition passes a second opening mark: a body of 900,000 of them would be read onwards from each.
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)")
_LEFT_OUT = (
    # Links and images become their text, in the second round also links around images.
    (_LINK, r"\1"),
    (_LINK, r"\1"),
    (re.compile(r"<[^<>\n]{1,300}>"), " "),
    # What documentation sites add to Markdown.
    (re.compile(r"^(?:import|export) .*|^:::.*$", re.MULTILINE), " "),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"[*`#>|~]+|-{3,}"), " "),
    (re.compile(r"\s+"), " "),
)
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")


class OutOfTime(Exception):
    """The worker's time is over. What was embedded so far is saved."""


class VectorStore(Protocol):
    """Keeps the vectors of one document while they are made, by the kind of model and the number of the first one."""

    def load(self, kind: str, start: int) -> Vectors | None:
        """Return vectors that were saved; None if there are none."""

    def save(self, kind: str, start: int, vectors: Vectors) -> None:
        """Save vectors."""


class UnfinishedVectors:
    """The vectors of one version of a document that a worker made before it was stopped, in S3.

    They lie under a prefix of their own, from which a lifecycle rule removes what nobody came back for.
    """

    def __init__(self, organization: str, document_id: str, revision: str) -> None:
        self._folder = f"{PREFIX}{organization}/{document_id}/{revision}/"
        self._keys: list[str] = []

    def load(self, kind: str, start: int) -> Vectors | None:
        """Return vectors that were saved; None if there are none. One call."""
        s3, key = clients.s3(), self._key(kind, start)
        try:
            stored = s3.get_object(Bucket=settings().knowledge_bucket, Key=key)
        except s3.exceptions.NoSuchKey:
            return None
        self._keys.append(key)
        found: Vectors = np.load(BytesIO(stored["Body"].read()), allow_pickle=False)
        return found

    def save(self, kind: str, start: int, vectors: Vectors) -> None:
        """Save vectors. One call."""
        body, key = BytesIO(), self._key(kind, start)
        np.save(body, vectors)
        clients.s3().put_object(Bucket=settings().knowledge_bucket, Key=key, Body=body.getvalue())
        self._keys.append(key)

    def remove(self) -> None:
        """Remove what was saved or loaded. One call; none for a document that was not saved."""
        if self._keys:
            clients.s3().delete_objects(
                Bucket=settings().knowledge_bucket,
                Delete={"Objects": [{"Key": key} for key in self._keys], "Quiet": True},
            )

    def _key(self, kind: str, start: int) -> str:
        return f"{self._folder}{kind}/{start:06d}.npy"


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
    aliases: Sequence[str] = (),
    store: VectorStore | None = None,
    time_is_left: Callable[[], bool] = lambda: True,
) -> IndexedDocument:
    """Return a document as the index takes it. `path` is the file that it is a copy of.

    Raises EmbeddingFailed, OutOfTime.
    """
    parts = sections(title, prose.visible(text, path))
    spoken = language_of("\n".join(part.text for part in parts[:10]))
    vectors = multilingual = None
    first = iter([True])

    def may_go_on() -> bool:
        return next(first, False) or time_is_left()  # every try gets further

    if model.languages is None or spoken in model.languages:
        vectors = _vectors(document_id, title, parts, aliases, model, store, may_go_on)
    other = model.multilingual
    if other is not None and (other.languages is None or spoken in other.languages):
        multilingual = _vectors(document_id, title, parts, aliases, other, store, may_go_on)
    return IndexedDocument(
        document_id, revision, version, title, url, spoken, parts, vectors, multilingual, aliases
    )


def _vectors(
    document_id: str,
    title: str,
    parts: Sequence[Section],
    aliases: Sequence[str],
    model: Embedder,
    store: VectorStore | None,
    may_go_on: Callable[[], bool],
) -> DocumentVectors:
    texts = [(part.position, text) for part in parts for text in texts_of(title, part)]
    made: list[Vectors] = []
    is_long = len(texts) > SAVED_AT_ONCE
    for start in range(0, len(texts), SAVED_AT_ONCE):
        found = store.load(model.kind, start) if store is not None and is_long else None
        if found is None:
            if not may_go_on():
                raise OutOfTime
            found = model.passages([text for _, text in texts[start : start + SAVED_AT_ONCE]])
            if store is not None and is_long:
                store.save(model.kind, start, found)
        made.append(found)
    positions, vectors = [position for position, _ in texts], np.concatenate(made)
    if aliases:
        # An alias stands for the section that is most like it, which is the one to quote.
        named = model.passages(aliases)
        positions += [positions[row] for row in (named @ vectors.T).argmax(axis=1)]
        vectors = np.concatenate([vectors, named])
    order = np.argsort(positions, kind="stable")
    return DocumentVectors.of(document_id, [positions[row] for row in order], vectors[order])


def texts_of(title: str, section: Section) -> list[str]:
    """Return the texts of a section, at least one."""
    parts = [title, *filter(None, section.heading.split(HEADING_SEPARATOR))]
    return [f"{': '.join(parts)}. {window}".strip() for window in _windows(plain(section.text))]


def plain(text: str) -> str:
    """Return Markdown as one line of plain text."""
    text = _without_comments(text)
    for pattern, replacement in _LEFT_OUT:
        text = pattern.sub(replacement, text)
    return text.strip()


def _without_comments(text: str) -> str:
    kept, start = [], 0
    while (opened := text.find("<!--", start)) >= 0 and (
        closed := text.find("-->", opened + len("<!--"))
    ) >= 0:
        kept.append(text[start:opened])
        start = closed + len("-->")
    return " ".join([*kept, text[start:]])


def _windows(text: str) -> list[str]:
    """Return whole sentences joined up to the limit. A longer sentence is cut."""
    windows = [""]
    for piece in _pieces(text):
        if windows[-1] and len(windows[-1]) + 1 + len(piece) > WINDOW_CHARACTERS:
            windows.append(piece)
        else:
            windows[-1] = f"{windows[-1]} {piece}".strip()
    return windows


def _pieces(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        for start in range(0, len(sentence), WINDOW_CHARACTERS):
            yield sentence[start : start + WINDOW_CHARACTERS]
