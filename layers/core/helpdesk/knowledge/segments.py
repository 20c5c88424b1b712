"""Segments of a search index: made from sections, marked where a document goes, merged now and then.

The search library's (Tantivy's) own writer would merge every eighth
commit into one segment for as long as there are fewer than 10,000 sections, which makes indexing slower with each
document. So segments are made one at a time in a directory of their own, and merged here by size: eight of a size
become one of the next. A section is written again about once for each eightfold of the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from helpdesk.knowledge.markdown import Section
from helpdesk.segments.builder import Change, Format, SegmentBuilder, build_dir, same_size_tier

ANALYZER = "helpdesk_en"
_ALL_SECTIONS = 10_000_000
_MAX_TOKEN_BYTES = 60


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as the index takes it."""

    id: str
    title: str
    url: str | None
    sections: Sequence[Section]


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


def commit(
    home: Path, meta: dict[str, Any] | None, removed: Sequence[str], added: Sequence[IndexedDocument]
) -> Change:
    """Return what becomes of an index when documents are removed by id and then others added.

    `home` has the index's live files and `meta.json`, and stays as it is.
    """
    with build_dir(home) as shop:
        builder = SegmentBuilder(FORMAT, home, shop, meta)
        builder.remove("document", removed)
        if added:
            builder.add(lambda writer: _fill(writer, added))
        merged = _merge(builder)
        return Change(builder.meta, builder.new_files(), merged)


def _fill(writer: tantivy.IndexWriter, documents: Sequence[IndexedDocument]) -> None:
    for document in documents:
        for section in document.sections:
            writer.add_document(_entry(document, section))


def _merge(builder: SegmentBuilder) -> bool:
    """Make one segment of eight of a size, until no size has eight; return whether there was anything to do."""
    merged = False
    while chosen := same_size_tier(builder.segments):
        with builder.view(chosen) as view:
            source = FORMAT.open(view).searcher()
            wanted = [at for _, at in source.search(tantivy.Query.all_query(), _ALL_SECTIONS).hits]

            def fill(
                writer: tantivy.IndexWriter,
                source: tantivy.Searcher = source,
                wanted: list[tantivy.DocAddress] = wanted,
            ) -> None:
                for at in wanted:
                    writer.add_document(source.doc(at))

            with builder.fresh(fill) as described:
                builder.segments = [s for s in builder.segments if s not in chosen] + described["segments"]
        merged = True
    return merged


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


FORMAT = Format(_schema, lambda: {ANALYZER: analyzer()})
