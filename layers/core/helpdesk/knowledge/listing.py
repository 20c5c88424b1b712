"""Documents as responses: lists, and one document with its text."""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import MAX_LISTED_BYTES, next_cursor, position
from helpdesk.knowledge import document_store, repository
from helpdesk.knowledge.documents import NO_FOLDER, Document, searchable
from helpdesk.knowledge.repository import DocumentFilter
from helpdesk.knowledge.schemas import (
    DocumentAnswer,
    DocumentsAnswer,
    DocumentShape,
    DocumentsQuery,
    DocumentSummary,
)
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage.stored import MalformedKey

_MOST_WORDS = 10
_TRIES = 3

_CONTROLS = {code: "\ufffd" for code in range(0x20) if chr(code) not in "\t\n\r"}
_BYTES_OF_A_CONTROL = 7  # \\u0001: Lambda's result holds the response's JSON as a JSON string


def newest(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """Return a page of documents without their texts, newest first. Raises InvalidRequest, InvalidCursor."""
    wanted = _filter(query)
    name = f"knowledge/documents?{wanted!r}"
    try:
        found, end = repository.newest(
            caller.organization, wanted, query.limit, position(caller, query, name)
        )
    except MalformedKey:
        found, end = [], None  # no folder has this ID
    return DocumentsAnswer(
        documents=[DocumentSummary.from_record(document) for document in found],
        next_cursor=next_cursor(caller, end, name),
    )


def get(organization: str, document_id: str) -> DocumentAnswer:
    """Return one document with its text. Raises DocumentNotFound."""
    for _ in range(_TRIES):
        document = repository.documents.get(organization, document_id)
        try:
            text = document_store.read(document.text_key)
        except document_store.TextMissing:
            continue  # the text was replaced between the two reads, and the old one removed
        return DocumentAnswer(document=_whole(document, text))
    raise document_store.TextMissing


def _filter(query: DocumentsQuery) -> DocumentFilter:
    words: tuple[str, ...] = ()
    if query.q is not None:
        words = tuple(dict.fromkeys(searchable(query.q).split()))[:_MOST_WORDS]
        if not words:
            raise InvalidRequest("`q` must not be blank. Omit it to list all documents.")
    return DocumentFilter(
        in_folder=query.folder_id is not None,
        folder_id=None if query.folder_id == NO_FOLDER else query.folder_id,
        status=query.status,
        source=query.source,
        words=words,
    )


def _whole(document: Document, text: str) -> DocumentShape:
    """Return a document with its text.

    A response has at most 6 MB. Only a text of control characters could exceed it; in such a text they are replaced by
    U+FFFD.
    """
    controls = sum(text.count(chr(code)) for code in _CONTROLS)
    if controls * _BYTES_OF_A_CONTROL + (document.size - controls) * 4 > MAX_LISTED_BYTES:
        text = text.translate(_CONTROLS)
    return DocumentShape.from_record(document, body=text)
