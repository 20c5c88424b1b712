"""Vectors beside the segments of an index: rows of int8, with the document and the section that each row belongs to.

A commit adds one immutable file with its documents' rows and the ids of all documents that it removes or replaces; a
row counts unless a later file removes its document. Files of similar size are merged as they are added, which drops the
rows that no longer count. So there are few files, and a commit costs about the same however many rows there are.

The search compares a question with every row. 10,000 sections take a few milliseconds, and nothing has to be tuned or
built (docs/decisions/0101).
"""

import json
import mmap
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from helpdesk.platform import ids
from helpdesk.platform.record import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

type Floats = NDArray[np.float32]
type Bytes = NDArray[np.int8]

PREFIX = "vectors-"
MULTILINGUAL = "multilingual-"
"""How the names of files begin: of an index's vectors, and of those that the multilingual model made."""
MERGE_FACTOR = 2
"""A file is merged with the one before it unless that one is more than this many times as large."""

_LARGEST = 127  # of int8, without the lone -128
_SECTION = 0xFFFF_FFFF  # the part of a key that is the section; the rest is the document
_ROWS_AT_ONCE = 16_384  # bounds the memory of a search: 25 MB of floats for vectors of 384


class DocumentVectors(Record):
    """The rows of one document: vectors of length one as int8, each with a scale and the section that it is of.

    The sections are in ascending order.
    """

    document: str
    sections: Sequence[int]
    rows: Bytes
    scales: Floats

    @classmethod
    def of(cls, document: str, sections: Sequence[int], vectors: Floats) -> Self:
        """Return the rows for vectors."""
        scales = np.maximum(np.abs(vectors).max(axis=1, initial=0), 1e-9).astype(np.float32) / _LARGEST
        return cls(document, sections, np.rint(vectors / scales[:, None]).astype(np.int8), scales)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.sections)


class _Part(Record):
    """The content of a file: documents with their rows, and the ids of documents whose earlier rows do not count."""

    removed: frozenset[str]
    documents: Sequence[DocumentVectors]

    @property
    def size(self) -> int:
        return len(self.removed) + sum(document.size for document in self.documents)

    def after(self, before: "_Part", *, is_first: bool) -> "_Part":
        """Return one part for two. The first part of all needs no ids of what was before it."""
        kept = [document for document in before.documents if document.document not in self.removed]
        removed = frozenset[str]() if is_first else before.removed | self.removed
        return _Part(removed, [*kept, *self.documents])


def change(
    folder: Path, removed: Iterable[str], added: Sequence[DocumentVectors], prefix: str = PREFIX
) -> bool:
    """Remove the rows of documents by id, then add others; return False if there is nothing to do."""
    files = _files(folder, prefix)
    part = _Part(frozenset(removed) | {document.document for document in added}, added)
    if not added and not files:
        return False
    while files and _size(files[-1]) <= MERGE_FACTOR * part.size:
        last = files.pop()
        part = part.after(_read(last), is_first=not files)
        last.unlink()
    if not files:
        part = _Part(frozenset(), part.documents)
    if part.size:
        number = 1 + (_number(files[-1]) if files else 0)
        _write(folder / f"{prefix}{number:08d}-{part.size}-{ids.ulid()}", part)
    return True


class VectorSet:
    """The rows of an index that count, in memory, open for searching."""

    def __init__(self, folder: Path, prefix: str = PREFIX) -> None:
        documents = list(_counting(folder, prefix))
        self._documents = [document.document for document in documents]
        self._numbers = {name: number for number, name in enumerate(self._documents)}
        self._rows = np.concatenate([document.rows for document in documents]) if documents else None
        self._scales = _joined([document.scales for document in documents], np.float32)
        sections = _joined([np.asarray(document.sections) for document in documents], np.int64)
        owners = np.repeat(np.arange(len(documents)), [document.size for document in documents])
        keys = (owners << 32) + sections
        # The keys ascend, so a section begins where the key changes.
        self._starts = np.flatnonzero(np.diff(keys, prepend=-1))
        self._keys = keys[self._starts]

    @property
    def sections(self) -> int:
        """The number of sections."""
        return len(self._keys)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self._scales)

    def similarities(self, question: Floats) -> Floats:
        """Return the cosine of each section's best row with a question."""
        if self._rows is None:
            return np.empty(0, dtype=np.float32)
        found = np.empty(len(self._scales), dtype=np.float32)
        for start in range(0, len(found), _ROWS_AT_ONCE):
            block = slice(start, start + _ROWS_AT_ONCE)
            found[block] = self._rows[block].astype(np.float32) @ question
        found *= self._scales
        return np.maximum.reduceat(found, self._starts)

    def best(
        self, similarities: Floats, limit: int, among: Iterable[str] | None = None
    ) -> list[tuple[str, int]]:
        """Return documents and sections of the highest values, best first; with `among` of these documents alone."""
        places = np.arange(len(similarities)) if among is None else self._places_of(among)
        limit = min(limit, len(places))
        if not limit:
            return []
        highest = places[np.argpartition(similarities[places], -limit)[-limit:]]
        ordered = highest[np.argsort(-similarities[highest], kind="stable")]
        return [(self._documents[key >> 32], key & _SECTION) for key in map(int, self._keys[ordered])]

    def value(self, similarities: Floats, document: str, section: int) -> float:
        """Return the value of one section; 0 if it has no row."""
        start, end = self._sections_of(document)
        place = start + int(np.searchsorted(self._keys[start:end] & _SECTION, section))
        found = place < end and int(self._keys[place]) & _SECTION == section
        return float(similarities[place]) if found else 0.0

    def mean_of_best(self, similarities: Floats, document: str, count: int) -> float:
        """Return the mean of a document's highest values, of all if it has fewer; 0 if it has no row."""
        own = similarities[slice(*self._sections_of(document))]
        return float(np.sort(own)[-count:].mean()) if len(own) else 0.0

    def _places_of(self, documents: Iterable[str]) -> "NDArray[np.intp]":
        wanted = np.zeros(len(self._documents), dtype=bool)
        wanted[[self._numbers[each] for each in documents if each in self._numbers]] = True
        return np.flatnonzero(wanted[self._keys >> 32])

    def _sections_of(self, document: str) -> tuple[int, int]:
        """Return where a document's sections begin and end."""
        number = self._numbers.get(document)
        if number is None:
            return 0, 0
        start, end = np.searchsorted(self._keys, [number << 32, (number + 1) << 32])
        return int(start), int(end)


def _counting(folder: Path, prefix: str) -> Iterator[DocumentVectors]:
    """Yield the documents whose rows count."""
    gone: set[str] = set()
    for path in reversed(_files(folder, prefix)):
        part = _read(path)
        yield from (document for document in part.documents if document.document not in gone)
        gone |= part.removed


def _joined[T: (np.float32, np.int64)](arrays: "Sequence[NDArray[T]]", kind: type[T]) -> "NDArray[T]":
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def _files(folder: Path, prefix: str) -> list[Path]:
    """Return the files with vectors, the oldest first."""
    return sorted(folder.glob(f"{prefix}*"))


def _number(path: Path) -> int:
    return int(path.name.split("-")[1])


def _size(path: Path) -> int:
    return int(path.name.split("-")[2])


def _write(path: Path, part: _Part) -> None:
    header = json.dumps(
        {
            "dimensions": part.documents[0].rows.shape[1] if part.documents else 0,
            "removed": sorted(part.removed),
            "documents": [[document.document, list(document.sections)] for document in part.documents],
        },
        separators=(",", ":"),
    ).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<I", len(header)) + header)
        file.writelines(document.scales.astype("<f4").tobytes() for document in part.documents)
        file.writelines(document.rows.tobytes() for document in part.documents)


def _read(path: Path) -> _Part:
    """Return the content of a file. Its rows stay on disk until they are used, also after the file was removed."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    [length] = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    total = sum(len(sections) for _, sections in header["documents"])
    scales = np.frombuffer(data, dtype="<f4", count=total, offset=4 + length)
    values = np.frombuffer(data, dtype=np.int8, offset=4 + length + 4 * total)
    rows = values.reshape(total, header["dimensions"])
    documents, start = list[DocumentVectors](), 0
    for name, sections in header["documents"]:
        own = slice(start, start + len(sections))
        documents.append(DocumentVectors(name, sections, rows[own], scales[own]))
        start += len(sections)
    return _Part(frozenset(header["removed"]), documents)
