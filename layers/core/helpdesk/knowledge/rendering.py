"""Documents as responses."""

from helpdesk.http.pages import MAX_LISTED_BYTES
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.schemas import DocumentShape, DocumentSummary
from helpdesk.storage import by_name as by_names

_CONTROLS = {code: "\ufffd" for code in range(0x20) if chr(code) not in "\t\n\r"}
_BYTES_OF_A_CONTROL = 7  # \\u0001: Lambda's result holds the response's JSON as a JSON string


def summary(document: Document) -> DocumentSummary:
    """Return a document without its text."""
    return DocumentSummary.from_record(
        document,
        created_by=by_names.id_of(document.created_by_name),
        updated_by=by_names.id_of(document.updated_by_name),
    )


def whole(document: Document, text: str) -> DocumentShape:
    """Return a document with its text.

    A response has at most 6 MB. Only a text of control characters could exceed it; in such a text they are replaced by
    U+FFFD.
    """
    controls = sum(text.count(chr(code)) for code in _CONTROLS)
    if controls * _BYTES_OF_A_CONTROL + (document.size - controls) * 4 > MAX_LISTED_BYTES:
        text = text.translate(_CONTROLS)
    return DocumentShape.from_record(summary(document), body=text)
