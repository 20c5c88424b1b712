"""An index as a directory on disk, which the search library (Tantivy) opens, writes to and merges.

A commit works on a copy of the directory. The copy shares the immutable files by hard links, so it takes a millisecond
and no space. The library commits there as on any index: it writes new segments, marks documents as deleted, merges
small segments and removes files that it no longer needs. A commit that is not published leaves nothing behind.

Every file in the directory belongs to the index. Data that a later version keeps beside the segments is stored,
published and fetched with them.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tantivy

from helpdesk.platform.record import Record
from helpdesk.search.s3_index.manifest import STATE_FILES

_HEAP_BYTES = 50_000_000
_LOCKS = ".tantivy-"


class IndexFormat(Record):
    """The fields of an index, and its analyzers by the name under which a field refers to them."""

    schema: Callable[[], tantivy.Schema]
    analyzers: Callable[[], dict[str, tantivy.TextAnalyzer]]

    def open(self, path: Path) -> tantivy.Index:
        """Open the index in a directory."""
        index = tantivy.Index.open(str(path))
        # The other policy watches the directory from a thread of its own.
        index.config_reader(reload_policy="manual")
        self._register(index)
        return index

    def create(self, path: Path) -> tantivy.Index:
        """Create an empty index in a directory."""
        index = tantivy.Index(self.schema(), str(path))
        self._register(index)
        return index

    def _register(self, index: tantivy.Index) -> None:
        for name, analyzer in self.analyzers().items():
            index.register_tokenizer(name, analyzer)


class Match(Record):
    """Documents that have one of some values in a field."""

    field: str
    values: Sequence[str | int]


class Edit(Record):
    """The changes of one commit: documents to delete, then documents to add.

    `beside` changes files beside the segments, if there are any, in the directory that it is given; it adds and removes
    files, but changes none. It returns whether it did anything.
    """

    deleted: Sequence[Match] = ()
    added: Sequence[tantivy.Document] = ()
    beside: Callable[[Path], bool] | None = None


@contextmanager
def build_dir(home: Path) -> Iterator[Path]:
    """Provide a directory for one commit or download. It is removed afterwards, whatever happens."""
    with tempfile.TemporaryDirectory(prefix="build-", dir=home, ignore_cleanup_errors=True) as path:
        inner = Path(path) / "index"
        inner.mkdir()
        yield inner


def immutable_files(path: Path) -> dict[str, int]:
    """Return the names and sizes of the files that never change."""
    return {
        file.name: file.stat().st_size
        for file in path.iterdir()
        if file.name not in STATE_FILES and not file.name.startswith(_LOCKS)
    }


def state_files(path: Path) -> dict[str, str]:
    """Return the text of the files that the library rewrites."""
    return {name: (path / name).read_text() for name in STATE_FILES if (path / name).exists()}


def link_files(source: Path, target: Path) -> None:
    """Make the files of one directory present in another: hard links, and copies of the state files."""
    for name in immutable_files(source):
        (target / name).hardlink_to(source / name)
    write_state(target, state_files(source))


def write_state(path: Path, state: dict[str, str]) -> None:
    """Write the library's state files."""
    for name, text in state.items():
        (path / name).write_text(text)


def apply(index: tantivy.Index, edit: Edit) -> bool:
    """Commit an edit and wait for the merges that follow; return False, without a commit, if it changes nothing."""
    deletions = [query for match in edit.deleted if (query := _query(index, match)) is not None]
    searcher = index.searcher()
    deletions = [query for query in deletions if searcher.search(query, 1).hits]
    if not deletions and not edit.added:
        return False
    # One thread, or one commit makes several segments.
    writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
    for query in deletions:
        writer.delete_documents_by_query(query)
    for document in edit.added:
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return True


def knows(index: tantivy.Index, matches: Sequence[Match]) -> bool:
    """Return whether any segment has matching documents, including those that are marked as deleted."""
    searcher = index.searcher()
    return any(searcher.doc_freq(match.field, value) for match in matches for value in match.values)


def copy_without(source: tantivy.Index, target: tantivy.Index, matches: Sequence[Match]) -> None:
    """Add all documents of an index to an empty one, apart from matching ones. Needs every field to be stored."""
    searcher = source.searcher()
    conditions = [(tantivy.Occur.Must, tantivy.Query.all_query())]
    conditions += [
        (tantivy.Occur.MustNot, query) for match in matches if (query := _query(source, match)) is not None
    ]
    found = searcher.search(
        tantivy.Query.boolean_query(conditions), max(searcher.num_docs, 1), count=False
    ).hits
    apply(target, Edit(added=[searcher.doc(address) for _, address in found]))


def replace(old: Path, new: Path) -> None:
    """Put a directory in the place of another. Files that are open stay readable."""
    shutil.rmtree(old, ignore_errors=True)
    new.rename(old)


def _query(index: tantivy.Index, match: Match) -> tantivy.Query | None:
    # By a query: the library's deletion by term does not accept numbers.
    return tantivy.Query.term_set_query(index.schema, match.field, match.values) if match.values else None
