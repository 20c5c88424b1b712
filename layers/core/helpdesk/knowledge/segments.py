"""Segments of a search index: made from sections, marked where a document goes, merged now and then.

The only module besides `index` that knows the search library (Tantivy). Its own writer would merge every eighth
commit into one segment for as long as there are fewer than 10,000 sections, which makes indexing slower with each
document. So segments are made one at a time in a directory of their own, and merged here by size: eight of a size
become one of the next. A section is written again about once for each eightfold of the index.
"""

import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tantivy

from helpdesk.knowledge.markdown import Section

ANALYZER = "helpdesk_en"
MERGE_FACTOR = 8
_HEAP_BYTES = 50_000_000
_ALL_SECTIONS = 10_000_000
_MAX_TOKEN_BYTES = 60
_COMPONENTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")

type Segment = dict[str, Any]
"""A segment as the library describes it: `segment_id`, `max_doc`, `deletes`."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as the index takes it."""

    id: str
    title: str
    url: str | None
    sections: Sequence[Section]


@dataclass(slots=True)
class Change:
    """The outcome of a commit that is not published yet: the new description, and the files it adds."""

    meta: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    merged: bool = False


def analyzer() -> tantivy.TextAnalyzer:
    """Return what turns text into terms: words without case and accents, by their English stem."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(_MAX_TOKEN_BYTES),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def open_index(path: Path) -> tantivy.Index:
    """Open the index of a directory that has its `meta.json`."""
    index = tantivy.Index.open(str(path))
    index.config_reader(
        reload_policy="manual"
    )  # the other policy watches the directory from a thread of its own
    index.register_tokenizer(ANALYZER, analyzer())
    return index


def live_files(meta: dict[str, Any]) -> set[str]:
    """Return the names of the files that a description's segments consist of."""
    names: set[str] = set()
    for segment in meta["segments"]:
        names |= _files_of(segment)
    return names


def commit(
    home: Path, meta: dict[str, Any] | None, removed: Sequence[str], added: Sequence[IndexedDocument]
) -> Change:
    """Return what becomes of an index when documents are removed by id and then others added.

    `home` has the index's live files and `meta.json`, and stays as it is; so a commit that is never published
    leaves nothing behind.
    """
    with tempfile.TemporaryDirectory(
        prefix="commit-", dir=home.parent, ignore_cleanup_errors=True
    ) as workshop:
        work = _Work(home, Path(workshop), meta)
        if meta is not None and removed:
            work.remove(removed)
        if added:
            work.add(added)
        merged = work.merge()
        return Change(work.meta, work.new_files(), merged)


class _Work:
    """One commit in the making. `self.segments` is the present list; new files lie in `self.made`."""

    def __init__(self, home: Path, workshop: Path, meta: dict[str, Any] | None) -> None:
        self.home, self.workshop = home, workshop
        self.made = workshop / "made"
        self.made.mkdir()
        self.base: dict[str, Any] | None = meta
        self.segments: list[Segment] = list(meta["segments"]) if meta else []
        self.opstamp: int = meta["opstamp"] if meta else 0

    @property
    def meta(self) -> dict[str, Any]:
        """The description as it is now."""
        if self.base is None:
            with self._fresh(lambda _: None) as described:
                self.base = described
        return {**self.base, "segments": self.segments, "opstamp": self.opstamp}

    def new_files(self) -> dict[str, bytes]:
        """Return the live files that the directory before this commit lacks."""
        live = live_files(self.meta)
        return {path.name: path.read_bytes() for path in sorted(self.made.iterdir()) if path.name in live}

    def remove(self, document_ids: Sequence[str]) -> None:
        """Mark the sections of documents as gone in the segments that have them."""
        whole = open_index(self.home).searcher()
        present = [name for name in document_ids if whole.doc_freq("document", name)]
        if not present:
            return
        kept: list[Segment] = []
        for segment in self.segments:
            with self._view([segment]) as view:
                index = open_index(view)
                searcher = index.searcher()
                found = [name for name in present if searcher.doc_freq("document", name)]
                if not found:
                    kept.append(segment)
                    continue
                writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
                for name in found:
                    writer.delete_documents_by_term("document", name)
                writer.commit()
                writer.wait_merging_threads()
                kept += self._take(view)
        self.segments = kept

    def add(self, documents: Sequence[IndexedDocument]) -> None:
        """Add a segment with the sections of documents."""

        def fill(writer: tantivy.IndexWriter) -> None:
            for document in documents:
                for section in document.sections:
                    writer.add_document(_entry(document, section))

        with self._fresh(fill) as described:
            self.base = self.base or described
            self.segments = self.segments + described["segments"]

    def merge(self) -> bool:
        """Make one segment of eight of a size, until no size has eight; return whether there was anything to do."""
        merged = False
        while chosen := _mergeable(self.segments):
            with self._view(chosen) as view:
                searcher = open_index(view).searcher()
                addresses = [at for _, at in searcher.search(tantivy.Query.all_query(), _ALL_SECTIONS).hits]

                def fill(
                    writer: tantivy.IndexWriter,
                    source: tantivy.Searcher = searcher,
                    wanted: list[tantivy.DocAddress] = addresses,
                ) -> None:
                    for at in wanted:
                        writer.add_document(source.doc(at))

                with self._fresh(fill) as described:
                    self.segments = [s for s in self.segments if s not in chosen] + described["segments"]
            merged = True
        return merged

    @contextmanager
    def _fresh(self, fill: Callable[[tantivy.IndexWriter], None]) -> Iterator[dict[str, Any]]:
        """Make a segment in an index of its own; give the description of that index."""
        path = Path(tempfile.mkdtemp(dir=self.workshop))
        index = tantivy.Index(_schema(), str(path))
        index.register_tokenizer(ANALYZER, analyzer())
        # One thread, or one commit would make several segments.
        writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        fill(writer)
        writer.commit()
        writer.wait_merging_threads()
        self._take(path)
        yield json.loads((path / "meta.json").read_text())
        shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def _view(self, segments: list[Segment]) -> Iterator[Path]:
        """Give a directory that holds some of the segments as an index of their own; links, no copies."""
        path = Path(tempfile.mkdtemp(dir=self.workshop))
        view = {**(self.base or {}), "segments": segments, "opstamp": self.opstamp}
        for name in live_files(view):
            source = self.made / name if (self.made / name).exists() else self.home / name
            if source.exists():
                (path / name).hardlink_to(source)
        (path / "meta.json").write_text(json.dumps(view))
        yield path
        shutil.rmtree(path, ignore_errors=True)

    def _take(self, path: Path) -> list[Segment]:
        """Take over the files that are new in a directory; return the segments that it has now."""
        described = json.loads((path / "meta.json").read_text())
        for name in live_files(described):
            source, target = path / name, self.made / name
            if source.exists() and not target.exists() and not (self.home / name).exists():
                target.hardlink_to(source)
        self.opstamp = max(self.opstamp, described["opstamp"])
        segments: list[Segment] = described["segments"]
        return segments


def _mergeable(segments: list[Segment]) -> list[Segment]:
    by_size: dict[int, list[Segment]] = {}
    for segment in segments:
        alive = segment["max_doc"] - (segment["deletes"] or {}).get("num_deleted_docs", 0)
        by_size.setdefault(int(math.log(max(alive, 1), MERGE_FACTOR) + 1e-9), []).append(segment)
    return next((alike for alike in by_size.values() if len(alike) >= MERGE_FACTOR), [])


def _files_of(segment: Segment) -> set[str]:
    name = segment["segment_id"].replace("-", "")
    files = {f"{name}.{component}" for component in _COMPONENTS}
    if segment["deletes"]:
        files.add(f"{name}.{segment['deletes']['opstamp']}.del")
    return files


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("document", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("title", "heading", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name=ANALYZER)
    builder.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("position", stored=True)
    return builder.build()


def _entry(document: IndexedDocument, section: Section) -> tantivy.Document:
    entry = tantivy.Document()
    entry.add_text("document", document.id)
    entry.add_text("title", document.title)
    entry.add_text("heading", section.heading)
    entry.add_text("body", section.text)
    entry.add_text("url", document.url or "")
    entry.add_unsigned("position", section.position)
    return entry
