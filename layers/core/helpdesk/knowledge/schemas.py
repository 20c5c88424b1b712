"""What goes in and out of the knowledge routes (Specification: Knowledge and repositories)."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict

from helpdesk.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint
from helpdesk.knowledge.errors import MAX_BODY_BYTES, MAX_TITLE_CHARACTERS


class DocumentStatus(StrEnum):
    """How far a document is; the agent answers from those that are ready."""

    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class DocumentInput(Body):
    """The body of POST /knowledge/documents. What is missing has a code of its own, so nothing is required here."""

    model_config = ConfigDict(json_schema_extra={"required": ["title", "body"]})

    title: Annotated[str, schema_hint(maxLength=MAX_TITLE_CHARACTERS)] | None = None
    """Required, up to 120 characters after trimming; without it the answer is `title_missing`."""
    body: Annotated[str, schema_hint(maxLength=MAX_BODY_BYTES)] | None = None
    """Required, in Markdown, up to 900,000 bytes in UTF-8; without it the answer is `body_missing`."""
    folder_id: str | None = None
    """The folder to put it in; none by default."""


class DocumentCreated(Answer):
    """The answer of POST /knowledge/documents."""

    id: str


class DocumentSummary(Answer):
    """A document without its text. `size` is the text's, in bytes; `problem` says why a document failed."""

    id: str
    title: str
    folder_id: str | None
    status: DocumentStatus
    """The agent answers from documents that are ready."""
    problem: str | None
    """Why indexing failed; null otherwise."""
    size: int
    """Of the text, in bytes."""
    created_at: Milliseconds
    updated_at: Milliseconds
    indexed_at: Milliseconds | None
    """When it was last made searchable; null before."""


class DocumentShape(DocumentSummary):
    """A document with its text."""

    body: str
    """The text, in Markdown."""


class DocumentsQuery(PageQuery):
    """The parameters of GET /knowledge/documents."""


class DocumentsAnswer(Answer):
    """GET /knowledge/documents, newest first."""

    documents: list[DocumentSummary]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class DocumentAnswer(Answer):
    """GET /knowledge/documents/{id}."""

    document: DocumentShape
