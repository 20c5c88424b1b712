"""Requests and responses of the knowledge routes (Specification: Knowledge and repositories)."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict

from helpdesk.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint
from helpdesk.knowledge.errors import MAX_BODY_BYTES, MAX_TITLE_CHARACTERS


class DocumentStatus(StrEnum):
    """The state of a document. The agent answers from documents that are ready."""

    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class DocumentInput(Body):
    """The body of POST /knowledge/documents. Missing fields have error codes of their own, so none is required here."""

    model_config = ConfigDict(json_schema_extra={"required": ["title", "body"]})

    title: Annotated[str, schema_hint(maxLength=MAX_TITLE_CHARACTERS)] | None = None
    """Required, up to 120 characters after trimming. The error is `title_missing` if it is missing or blank."""
    body: Annotated[str, schema_hint(maxLength=MAX_BODY_BYTES)] | None = None
    """Required, in Markdown, up to 900,000 bytes in UTF-8. The error is `body_missing` if it is missing or blank."""
    folder_id: str | None = None
    """The id of the document's folder; none by default."""


class DocumentCreated(Answer):
    """The response of POST /knowledge/documents."""

    id: str


class DocumentSummary(Answer):
    """A document without its text."""

    id: str
    title: str
    folder_id: str | None
    status: DocumentStatus
    """The agent answers from documents that are ready."""
    problem: str | None
    """Why indexing failed; null otherwise."""
    size: int
    """The size of the text in bytes."""
    created_at: Milliseconds
    updated_at: Milliseconds
    indexed_at: Milliseconds | None
    """When it was last indexed; null before."""


class DocumentShape(DocumentSummary):
    """A document with its text."""

    body: str
    """The text, in Markdown."""


class DocumentsQuery(PageQuery):
    """The parameters of GET /knowledge/documents."""


class DocumentsAnswer(Answer):
    """The response of GET /knowledge/documents, newest first."""

    documents: list[DocumentSummary]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class DocumentAnswer(Answer):
    """The response of GET /knowledge/documents/{id}."""

    document: DocumentShape
