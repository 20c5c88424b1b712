"""Documents as responses: lists, and one document with its text."""

from typing import Any

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
    DocumentStatus,
    DocumentSummary,
)
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage.stored import MalformedKey

_MOST_WORDS = 10
_TRIES = 3
_SEARCHES = 4
"""Reads of a search's documents on one page, where other parameters leave some out."""

_CONTROLS = {code: "\ufffd" for code in range(0x20) if chr(code) not in "\t\n\r"}
_BYTES_OF_A_CONTROL = 7  # \\u0001: Lambda's result holds the response's JSON as a JSON string


def newest(caller: Caller, query: DocumentsQuery) -> DocumentsAnswer:
    """Return a page of documents without their texts: newest first, or what a search finds, best first.

    Raises InvalidRequest, InvalidCursor.
    """
    wanted = _filter(query)
    name = f"knowledge/documents?{wanted!r}&q={query.q!r}"
    start = position(caller, query, name)
    try:
        if query.q is None:
            found, end = repository.newest(caller.organization, wanted, query.limit, start)
        else:
            found, end = _found(caller.organization, query.q, wanted, query.limit, start)
    except MalformedKey:
        found, end = [], None  # no folder has this ID
    return DocumentsAnswer(
        documents=[DocumentSummary.from_record(document) for document in found],
        next_cursor=next_cursor(caller, end, name),
    )


def _found(
    organization: str, text: str, wanted: DocumentFilter, limit: int, start: Any
) -> tuple[list[Document], Any]:
    """Return what a search finds, as far as it matches the other parameters, and where the next page begins.

    After what the index finds come documents that are not in it yet, or could not be, by their titles. A position is
    a number of documents that the search found, or the ID of a document behind them all, which begins with `doc_`.
    """
    # Imported with the first search: other requests need no search library, which takes longer than all else.
    from helpdesk.knowledge import searching  # noqa: PLC0415

    found = searching.find(organization, text)
    kept: list[Document] = []
    after, before = (start, None) if isinstance(start, int) or start is None else (found.total, start)
    at = after or 0
    for _ in range(_SEARCHES):
        if at >= found.total or len(kept) == limit:
            break
        hits = found.documents(at, limit - len(kept))
        at += len(hits)
        kept += [
            each
            for each in repository.documents.by_ids(organization, ids=hits).values()
            if wanted.matches(each)
        ]
    if at < found.total or len(kept) == limit:
        return kept, at
    if wanted.status is DocumentStatus.READY:
        return kept, None
    titled = wanted._replace(words=_words(text), unready=True)
    rest, end = repository.newest(organization, titled, limit - len(kept), before)
    listed = found.holding([each.id for each in rest])
    return [*kept, *(each for each in rest if each.id not in listed)], end


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
    if query.q is not None and not _words(query.q):
        raise InvalidRequest("`q` must not be blank. Omit it to list all documents.")
    return DocumentFilter(
        in_folder=query.folder_id is not None,
        folder_id=None if query.folder_id == NO_FOLDER else query.folder_id,
        status=query.status,
        source=query.source,
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(searchable(text).split()))[:_MOST_WORDS]


def _whole(document: Document, text: str) -> DocumentShape:
    """Return a document with its text.

    A response has at most 6 MB. Only a text of control characters could exceed it; in such a text they are replaced by
    U+FFFD.
    """
    controls = sum(text.count(chr(code)) for code in _CONTROLS)
    if controls * _BYTES_OF_A_CONTROL + (document.size - controls) * 4 > MAX_LISTED_BYTES:
        text = text.translate(_CONTROLS)
    return DocumentShape.from_record(document, body=text)
