"""Reading documents: lists, and one document with its text."""

from helpdesk.admission.caller import Caller
from helpdesk.http.pages import next_cursor, position
from helpdesk.knowledge import document_store, rendering, repository
from helpdesk.knowledge.documents import searchable
from helpdesk.knowledge.repository import DocumentFilter
from helpdesk.knowledge.schemas import DocumentAnswer, DocumentsAnswer, DocumentsQuery
from helpdesk.platform.errors import InvalidRequest

_NO_FOLDER = "none"
_MOST_WORDS = 10
_TRIES = 3


def newest(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """Return a page of documents without their texts, newest first. Raises InvalidRequest, InvalidCursor."""
    wanted = _filter(query)
    name = f"knowledge/documents?{wanted!r}"
    found, end = repository.newest(caller.organization, wanted, query.limit, position(caller, query, name))
    return DocumentsAnswer(
        documents=[rendering.summary(document) for document in found],
        next_cursor=next_cursor(caller, end, name),
    )


def get(organization: str, document_id: str) -> DocumentAnswer:
    """Return one document with its text. Raises DocumentNotFound."""
    for _ in range(_TRIES):
        document = repository.get(organization, document_id)
        try:
            text = document_store.read(document.text_key)
        except document_store.TextMissing:
            continue  # the text was replaced between the two reads, and the old one removed
        return DocumentAnswer(document=rendering.whole(document, text))
    raise document_store.TextMissing


def _filter(query: DocumentsQuery) -> DocumentFilter:
    words: tuple[str, ...] = ()
    if query.q is not None:
        words = tuple(dict.fromkeys(searchable(query.q).split()))[:_MOST_WORDS]
        if not words:
            raise InvalidRequest("`q` must not be blank. Omit it to list all documents.")
    return DocumentFilter(
        in_folder=query.folder_id is not None,
        folder_id=None if query.folder_id == _NO_FOLDER else query.folder_id,
        status=query.status,
        source=query.source,
        words=words,
    )
