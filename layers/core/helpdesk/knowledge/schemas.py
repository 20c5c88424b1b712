"""What goes in and out of the knowledge routes (Specification: Knowledge and repositories)."""

from enum import StrEnum

from helpdesk.http.schemas import Answer, Body, PageQuery


class DocumentStatus(StrEnum):
    """How far a document is; the agent answers from those that are ready."""

    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class DocumentInput(Body):
    """The body of POST /knowledge/documents. What is missing has a code of its own, so nothing is required here."""

    title: str | None = None
    body: str | None = None
    folder_id: str | None = None


class DocumentCreated(Answer):
    """The answer of POST /knowledge/documents."""

    id: str


class DocumentSummary(Answer):
    """A document without its text. `size` is the text's, in bytes; `problem` says why a document failed."""

    id: str
    title: str
    folder_id: str | None
    status: DocumentStatus
    problem: str | None
    size: int
    created_at: int
    updated_at: int
    indexed_at: int | None


class DocumentShape(DocumentSummary):
    """A document with its text."""

    body: str


class DocumentsQuery(PageQuery):
    """The parameters of GET /knowledge/documents."""


class DocumentsAnswer(Answer):
    """GET /knowledge/documents, newest first."""

    documents: list[DocumentSummary]
    next_cursor: str | None


class DocumentAnswer(Answer):
    """GET /knowledge/documents/{id}."""

    document: DocumentShape
