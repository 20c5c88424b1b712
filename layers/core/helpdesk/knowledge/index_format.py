"""The knowledge index: one entry for each section of a document, and vectors for those in languages that a model knows.

The text of a section is stored as it is. What is indexed of it are its terms in the document's language, separated by
spaces, because a field of the search library has one language.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import tantivy

from helpdesk.knowledge.language import terms
from helpdesk.knowledge.markdown import Section
from helpdesk.platform.record import Record
from helpdesk.search.s3_index import vectors
from helpdesk.search.s3_index.directory import Edit, IndexFormat, Match
from helpdesk.search.s3_index.manifest import OWNERS_NOTE
from helpdesk.search.s3_index.vectors import DocumentVectors

VERSION = "v3"
"""Part of the index's place in S3. Raise it, and index every document again, when a field or the analyzer changes."""

TERM_FIELDS = ("title", "heading", "body")


class IndexedDocument(Record):
    """A document as the index takes it: one version of it.

    `revision` names the version among those of all documents. `vectors` is None if no model knows its language.
    """

    id: str
    revision: str
    version: int
    title: str
    url: str | None
    language: str
    sections: Sequence[Section]
    vectors: DocumentVectors | None = None


def edit_of(removed: Sequence[str], added: Sequence[IndexedDocument], *, whole: str | None = None) -> Edit:
    """Return the edit that removes documents by id and then adds others.

    With the id of its model, the index is marked as whole: the id becomes its note.
    """
    rows = [document.vectors for document in added if document.vectors is not None]

    def change_files(folder: Path) -> bool:
        changed = vectors.change(folder, removed, rows)
        if whole is None or (folder / OWNERS_NOTE).exists():
            return changed
        (folder / OWNERS_NOTE).write_text(whole)
        return True

    return Edit(
        deleted=[Match("document", removed)],
        added=[entry for document in added for entry in _entries(document)],
        beside=change_files,
    )


def key_of(document_id: str, position: int) -> str:
    """Return the value of the field `key`, which names a section."""
    return f"{document_id}/{position}"


def _entries(document: IndexedDocument) -> Iterator[tantivy.Document]:
    title = " ".join(terms(document.title, document.language))
    for section in document.sections:
        entry = tantivy.Document()
        entry.add_text("document", document.id)
        entry.add_text("revision", document.revision)
        entry.add_text("key", key_of(document.id, section.position))
        entry.add_text("language", document.language)
        entry.add_text("title", title)
        entry.add_text("heading", " ".join(terms(section.heading, document.language)))
        entry.add_text("body", " ".join(terms(section.text, document.language)))
        entry.add_bytes("stored", _stored(document, section))
        yield entry


def stored(found: tantivy.Document) -> tuple[str, int, str, str, str, str | None, int, str]:
    """Return what an entry keeps: document, version, title, heading, text, url, position, language."""
    document, version, title, heading, text, url, position, language = json.loads(bytes(found["stored"][0]))
    return document, version, title, heading, text, url, position, language


def _stored(document: IndexedDocument, section: Section) -> bytes:
    about = [document.id, document.version, document.title]
    kept = [*about, section.heading, section.text, document.url, section.position, document.language]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("document", "revision", "key", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in TERM_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_bytes_field("stored", stored=True, indexed=False)
    return builder.build()


FORMAT = IndexFormat(_schema, dict)
