"""The search index of the inbox: one entry for each `documents.Document`.

Every field is stored, so that an erasure can rebuild the index without some of its entries (`CachedIndex.erase`). Of a
text, that is the set of its terms and not the text itself.
"""

from collections.abc import Sequence

import tantivy

from helpdesk.search.documents import Document
from helpdesk.search.s3_index.directory import Edit, IndexFormat, Match

VERSION = "v2"
"""Part of the index's place in S3. Raise it, and index every conversation again, when fields or terms change."""

_TEXTS = ("key", "id")
_NUMBERS = ("kind", "conversation", "customer", "version", "sort_key")


def edit_of(ids: Sequence[str], conversations: Sequence[int], added: Sequence[Document]) -> Edit:
    """Return the edit that removes entries by id and by conversation number, and then adds documents."""
    return Edit(
        deleted=[Match("id", ids), Match("conversation", conversations)],
        added=[entry_of(document) for document in added],
    )


def entry_of(document: Document) -> tantivy.Document:
    """Return a document as the search library takes it."""
    entry = tantivy.Document()
    entry.add_text("words", " ".join(document.terms))
    for name in _TEXTS:
        if (text := getattr(document, name)) is not None:
            entry.add_text(name, text)
    for name in _NUMBERS:
        if (number := getattr(document, name)) is not None:
            entry.add_unsigned(name, int(number))
    return entry


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Terms are separated by spaces; the library's own analyzer of that name splits them.
    builder.add_text_field("words", stored=True, tokenizer_name="whitespace", index_option="basic")
    for name in _TEXTS:
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("kind", "customer", "version"):
        builder.add_unsigned_field(name, stored=True, indexed=True)
    builder.add_unsigned_field("conversation", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("sort_key", stored=True, fast=True)
    return builder.build()


FORMAT = IndexFormat(_schema, dict)
