"""The rules of knowledge documents (Specification: Knowledge and repositories; States, Knowledge document).

The text is written before the record that names it, and the record in one transaction with the job that indexes it. A
crash may leave an unnamed text, but never a record without its text or without its job.
"""

from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.http.pages import next_cursor, position
from helpdesk.knowledge import document_store, repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import (
    MAX_BODY_BYTES,
    MAX_TITLE_CHARACTERS,
    TITLE_TOO_LONG,
    BodyMissing,
    BodyTooLarge,
    TitleMissing,
)
from helpdesk.knowledge.schemas import (
    DocumentAnswer,
    DocumentCreated,
    DocumentInput,
    DocumentsAnswer,
    DocumentShape,
    DocumentsQuery,
    DocumentStatus,
    DocumentSummary,
)
from helpdesk.platform import clock, ids
from helpdesk.platform.text import as_name, is_blank

_LIST = "knowledge/documents"


def create(organization: str, written: DocumentInput) -> DocumentCreated:
    """Create a document. It is indexed in the background.

    Raises TitleMissing, BodyMissing, BodyTooLarge (also for the title), FolderNotFound.
    """
    title, text = _require_title(written.title), _require_body(written.body)
    if written.folder_id is not None:
        repository.require_folder(organization, written.folder_id)
    document_id, revision, now = ids.new("doc"), ids.ulid(), clock.now_ms()
    document = Document(
        organization=organization,
        id=document_id,
        title=title,
        folder_id=written.folder_id,
        status=DocumentStatus.INDEXING,
        problem=None,
        size=len(text),
        revision=revision,
        text_key=document_store.key_of(organization, document_id, revision),
        url=None,
        created_at=now,
        updated_at=now,
        indexed_at=None,
    )
    document_store.write(document.text_key, text)
    repository.create(document)
    return DocumentCreated(id=document_id)


def newest(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """Return a page of documents without their texts, newest first."""
    found, end = repository.newest(caller.organization, query.limit, position(caller, query, _LIST))
    return DocumentsAnswer(
        documents=[DocumentSummary(**_summary(document)) for document in found],
        next_cursor=next_cursor(caller, end, _LIST),
    )


def get(organization: str, document_id: str) -> DocumentAnswer:
    """Return one document with its text. Raises DocumentNotFound."""
    document = repository.get(organization, document_id)
    shape = DocumentShape(**_summary(document), body=document_store.read(document.text_key))
    return DocumentAnswer(document=shape)


def _summary(document: Document) -> dict[str, Any]:
    return {name: getattr(document, name) for name in DocumentSummary.model_fields}


def _require_title(title: str | None) -> str:
    title = as_name(title or "")
    if not title:
        raise TitleMissing
    if len(title) > MAX_TITLE_CHARACTERS:
        raise BodyTooLarge(TITLE_TOO_LONG)
    return title


def _require_body(body: str | None) -> bytes:
    if body is None or is_blank(body):
        raise BodyMissing
    text = body.encode()
    if len(text) > MAX_BODY_BYTES:
        raise BodyTooLarge
    return text
