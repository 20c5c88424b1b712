"""The making of segments, whatever is in them: added, marked where something goes, merged.

A commit works in a directory of its own beside an index's live files, which stay as they are; so one that is never
published leaves nothing behind.
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

MERGE_FACTOR = 8
_HEAP_BYTES = 50_000_000
_COMPONENTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")

type Segment = dict[str, Any]
"""A segment as the library describes it: `segment_id`, `max_doc`, `deletes`."""


@dataclass(slots=True)
class Change:
    """The outcome of a commit that is not published yet: the new description, and the files it adds."""

    meta: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """What an index is made of: its fields, and by name what turns text into terms."""

    schema: Callable[[], tantivy.Schema]
    analyzers: Callable[[], dict[str, tantivy.TextAnalyzer]]

    def open(self, path: Path) -> tantivy.Index:
        """Open the index of a directory that has its `meta.json`."""
        index = tantivy.Index.open(str(path))
        # The other policy watches the directory from a thread of its own.
        index.config_reader(reload_policy="manual")
        self._register(index)
        return index

    def create(self, path: Path) -> tantivy.Index:
        """Make an empty index in a directory."""
        index = tantivy.Index(self.schema(), str(path))
        self._register(index)
        return index

    def _register(self, index: tantivy.Index) -> None:
        for name, analyzer in self.analyzers().items():
            index.register_tokenizer(name, analyzer)


def live_files(meta: dict[str, Any]) -> set[str]:
    """Return the names of the files that a description's segments consist of."""
    names: set[str] = set()
    for segment in meta["segments"]:
        names |= files_of(segment)
    return names


def files_of(segment: Segment) -> set[str]:
    """Return the names of the files that a segment consists of."""
    name = segment["segment_id"].replace("-", "")
    files = {f"{name}.{component}" for component in _COMPONENTS}
    if segment["deletes"]:
        files.add(f"{name}.{segment['deletes']['opstamp']}.del")
    return files


def alive(segment: Segment) -> int:
    """Return how many entries of a segment are not marked as gone."""
    gone: int = (segment["deletes"] or {}).get("num_deleted_docs", 0)
    return int(segment["max_doc"]) - gone


def same_size_tier(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments of a size, within a factor of eight, of which there are eight or more; else none."""
    by_size: dict[int, list[Segment]] = {}
    for segment in segments:
        by_size.setdefault(int(math.log(max(alive(segment), 1), MERGE_FACTOR) + 1e-9), []).append(segment)
    return next((group for group in by_size.values() if len(group) >= MERGE_FACTOR), [])


@contextmanager
def build_dir(home: Path) -> Iterator[Path]:
    """Give a directory beside an index's files, for one commit."""
    with tempfile.TemporaryDirectory(prefix="commit-", dir=home.parent, ignore_cleanup_errors=True) as path:
        yield Path(path)


class SegmentBuilder:
    """One commit in the making. `self.segments` is the present list; new files lie in `self.made`."""

    def __init__(self, form: Format, home: Path, shop: Path, meta: dict[str, Any] | None) -> None:
        self.form = form
        self.home, self.shop = home, shop
        self.made = shop / "made"
        self.made.mkdir()
        self.base: dict[str, Any] | None = meta
        self.segments: list[Segment] = list(meta["segments"]) if meta else []
        self.opstamp: int = meta["opstamp"] if meta else 0

    @property
    def meta(self) -> dict[str, Any]:
        """The description as it is now."""
        if self.base is None:
            with self.fresh(lambda _: None) as described:
                self.base = described
        return {**self.base, "segments": self.segments, "opstamp": self.opstamp}

    def new_files(self) -> dict[str, bytes]:
        """Return the live files that the directory before this commit lacks."""
        live = live_files(self.meta)
        return {path.name: path.read_bytes() for path in sorted(self.made.iterdir()) if path.name in live}

    def remove(self, field_name: str, values: Sequence[str | int]) -> None:
        """Mark the entries that have one of the values in a field as gone, in the segments that have them."""
        if self.base is None or not self.segments or not values:
            return
        with self.view(self.segments) as whole:
            searcher = self.form.open(whole).searcher()
            present = [value for value in values if searcher.doc_freq(field_name, value)]
        if not present:
            return
        kept: list[Segment] = []
        for segment in self.segments:
            with self.view([segment]) as view:
                index = self.form.open(view)
                # By a query: the library takes a number for no term when it removes by term.
                having = tantivy.Query.term_set_query(index.schema, field_name, present)
                # A search, because a term's frequency counts what is marked as gone.
                if not index.searcher().search(having, 1).hits:
                    kept.append(segment)
                    continue
                writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
                writer.delete_documents_by_query(having)
                writer.commit()
                writer.wait_merging_threads()
                kept += self.take(view)
        self.segments = kept

    def add(self, fill: Callable[[tantivy.IndexWriter], None]) -> None:
        """Add a segment with what `fill` puts into it."""
        with self.fresh(fill) as described:
            self.base = self.base or described
            self.segments = self.segments + described["segments"]

    @contextmanager
    def fresh(self, fill: Callable[[tantivy.IndexWriter], None]) -> Iterator[dict[str, Any]]:
        """Make a segment in an index of its own; give the description of that index."""
        path = Path(tempfile.mkdtemp(dir=self.shop))
        # One thread, or one commit would make several segments.
        writer = self.form.create(path).writer(heap_size=_HEAP_BYTES, num_threads=1)
        fill(writer)
        writer.commit()
        writer.wait_merging_threads()
        self.take(path)
        yield json.loads((path / "meta.json").read_text())
        shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def view(self, segments: Sequence[Segment]) -> Iterator[Path]:
        """Give a directory that holds some of the segments as an index of their own; links, no copies."""
        path = Path(tempfile.mkdtemp(dir=self.shop))
        view = {**(self.base or {}), "segments": list(segments), "opstamp": self.opstamp}
        for name in live_files(view):
            source = self.made / name if (self.made / name).exists() else self.home / name
            if source.exists():
                (path / name).hardlink_to(source)
        (path / "meta.json").write_text(json.dumps(view))
        yield path
        shutil.rmtree(path, ignore_errors=True)

    def take(self, path: Path) -> list[Segment]:
        """Take over the files that are new in a directory; return the segments that it has now."""
        described = json.loads((path / "meta.json").read_text())
        for name in live_files(described):
            source, target = path / name, self.made / name
            if source.exists() and not target.exists() and not (self.home / name).exists():
                target.hardlink_to(source)
        self.opstamp = max(self.opstamp, described["opstamp"])
        segments: list[Segment] = described["segments"]
        return segments
