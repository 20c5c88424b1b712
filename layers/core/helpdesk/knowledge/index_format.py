"""The knowledge index: one entry for each section of a document, and the analyzer of its texts."""

from collections.abc import Iterator, Sequence

import tantivy

from helpdesk.knowledge.markdown import Section
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.s3_index.directory import Edit, IndexFormat, Match

VERSION = "v2"
"""Part of the index's place in S3. Raise it, and index every document again, when a field or the analyzer changes."""

ANALYZER = "helpdesk_en"
_MAX_TOKEN_BYTES = 60


class IndexedDocument(FrozenRecord):
    """A document as the index takes it."""

    id: str
    title: str
    url: str | None
    sections: Sequence[Section]


def analyzer() -> tantivy.TextAnalyzer:
    """Return what turns text into terms: words without case and accents, reduced to their English stem."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(_MAX_TOKEN_BYTES),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def edit_of(removed: Sequence[str], added: Sequence[IndexedDocument]) -> Edit:
    """Return the edit that removes documents by id and then adds others."""
    return Edit(
        deleted=[Match("document", removed)],
        added=[entry for document in added for entry in _entries(document)],
    )


def _entries(document: IndexedDocument) -> Iterator[tantivy.Document]:
    for section in document.sections:
        entry = tantivy.Document()
        entry.add_text("document", document.id)
        entry.add_text("title", document.title)
        entry.add_text("heading", section.heading)
        entry.add_text("body", section.text)
        entry.add_text("url", document.url or "")
        entry.add_unsigned("position", section.position)
        yield entry


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("document", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("title", "heading", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name=ANALYZER)
    builder.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("position", stored=True)
    return builder.build()


FORMAT = IndexFormat(_schema, lambda: {ANALYZER: analyzer()})
