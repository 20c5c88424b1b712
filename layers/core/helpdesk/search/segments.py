"""Segments of the search index: made from documents, merged now and then, and rewritten without what is erased.

Nothing but ids is stored, so a segment cannot be made of what others store, as the knowledge index does it: the library
must merge. It does so by a policy of its own that no setting changes (Tantivy's LogMergePolicy): eight segments or more
whose sizes are alike, where all below ten thousand documents are. A commit here shows it a directory that holds just
the segments to be merged. Should another version of the library leave them as they are, then so do we.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from helpdesk.search.documents import Document
from helpdesk.segments.builder import (
    MERGE_FACTOR,
    Change,
    Format,
    Segment,
    SegmentBuilder,
    alive,
    build_dir,
    same_size_tier,
)

MERGE_HEAP_BYTES = 50_000_000
_ALIKE_BELOW = 10_000  # LogMergePolicy's smallest layer
_ALIKE_FACTOR = 1.6  # LogMergePolicy has 2 ** 0.75
LARGEST_MERGED = 2_000_000
"""Documents. More in one segment would take longer to merge than a function may run."""

_FILLER = "filler"


@dataclass(frozen=True, slots=True)
class Edit:
    """What a commit changes: ids and numbers of conversations that go, then what comes."""

    ids: Sequence[str] = ()
    owners: Sequence[int] = ()
    added: Sequence[Document] = ()

    def __bool__(self) -> bool:
        return bool(self.ids or self.owners or self.added)


def commit(home: Path, meta: dict[str, Any] | None, edit: Edit) -> Change:
    """Return what becomes of an index by an edit. `home` has the live files and `meta.json`, and stays as it is."""
    with build_dir(home) as shop:
        builder = SegmentBuilder(FORMAT, home, shop, meta)
        builder.remove("id", edit.ids)
        builder.remove("owner", edit.owners)
        if edit.added:
            builder.add(lambda writer: _fill(writer, edit.added))
        merged = False
        while chosen := mergeable(builder.segments):
            if not _merged(builder, chosen):
                break
            merged = True
        return Change(builder.meta, builder.new_files(), merged)


def purge(home: Path, meta: dict[str, Any] | None, customers: Sequence[int], owners: Sequence[int]) -> Change:
    """Return what becomes of an index when nothing of some customers and conversations is to be left of it.

    Every segment that knows of them is written again without what is gone, be it for now or for long: an entry that is
    only marked as gone still has its words in the files.
    """
    with build_dir(home) as shop:
        builder = SegmentBuilder(FORMAT, home, shop, meta)
        concerned = _knowing(builder, customers, owners)
        names = {segment["segment_id"] for segment in concerned}
        builder.remove("customer", customers)
        builder.remove("owner", owners)
        chosen = [segment for segment in builder.segments if segment["segment_id"] in names]
        if chosen:
            _rewrite(builder, chosen)
        return Change(builder.meta, builder.new_files())


def mergeable(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments that the library would merge and that are worth it; none where there are none."""
    small = [segment for segment in segments if alive(segment) < _ALIKE_BELOW]
    if chosen := same_size_tier(small):
        return chosen
    large = sorted((s for s in segments if alive(s) >= _ALIKE_BELOW), key=alive, reverse=True)
    for start in range(len(large) - MERGE_FACTOR + 1):
        group = large[start : start + MERGE_FACTOR]
        if alive(group[0]) <= _ALIKE_FACTOR * alive(group[-1]) and sum(map(alive, group)) <= LARGEST_MERGED:
            return group
    return []


def _merged(
    builder: SegmentBuilder, chosen: Sequence[Segment], shown: Sequence[Segment] | None = None
) -> bool:
    """Let the library merge segments into one; return whether it did. `shown` is what it is told of them."""
    names = {segment["segment_id"] for segment in chosen}
    with builder.view(shown or chosen) as view:
        writer = FORMAT.open(view).writer(heap_size=MERGE_HEAP_BYTES, num_threads=1)
        writer.commit()
        writer.wait_merging_threads()
        made = builder.take(view)
    if any(segment["segment_id"] in names for segment in made):
        return False
    builder.segments = [s for s in builder.segments if s["segment_id"] not in names] + made
    return True


def _knowing(builder: SegmentBuilder, customers: Sequence[int], owners: Sequence[int]) -> list[Segment]:
    """Return the segments in which a customer or a conversation occurs, also where it is marked as gone."""
    found: list[Segment] = []
    for segment in builder.segments:
        with builder.view([segment]) as view:
            searcher = FORMAT.open(view).searcher()
            if any(searcher.doc_freq("customer", customer) for customer in customers) or any(
                searcher.doc_freq("owner", owner) for owner in owners
            ):
                found.append(segment)
    return found


def _rewrite(builder: SegmentBuilder, chosen: Sequence[Segment]) -> None:
    """Replace segments, each of which has something marked as gone, by one without it.

    The library merges where eight small segments are: so it is shown enough of them that have one empty document, and
    of the others a size that is small. It copies what their own files mark as alive, whatever it was told of the size.
    """
    fillers: list[Segment] = []
    if len(chosen) < MERGE_FACTOR:
        with builder.fresh(lambda writer: _fill_up(writer, MERGE_FACTOR - len(chosen))) as described:
            fillers = described["segments"]
    shown = [
        {**segment, "deletes": {**segment["deletes"], "num_deleted_docs": segment["max_doc"] - 1}}
        for segment in chosen
    ]
    if not _merged(builder, chosen, [*shown, *fillers]):
        raise NotRewritten


class NotRewritten(Exception):
    """The library did not merge what it was shown; another version of it may have another policy."""


def _fill_up(writer: tantivy.IndexWriter, count: int) -> None:
    for number in range(count):
        if number:
            writer.commit()
        filler = tantivy.Document()
        filler.add_text("key", _FILLER)
        writer.add_document(filler)


def _fill(writer: tantivy.IndexWriter, documents: Iterable[Document]) -> None:
    for document in documents:
        entry = tantivy.Document()
        entry.add_text("words", " ".join(document.terms))
        for name in ("key", "id"):
            if (text := getattr(document, name)) is not None:
                entry.add_text(name, text)
        for name in ("kind", "owner", "customer", "version", "place"):
            if (number := getattr(document, name)) is not None:
                entry.add_unsigned(name, int(number))
        writer.add_document(entry)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("kind", "customer", "version"):
        builder.add_unsigned_field(name, indexed=True)
    builder.add_unsigned_field("owner", indexed=True, fast=True)
    builder.add_unsigned_field("place", fast=True)
    return builder.build()


# The terms come separated by spaces; the library's own analyzer of that name takes them apart.
FORMAT = Format(_schema, dict)
