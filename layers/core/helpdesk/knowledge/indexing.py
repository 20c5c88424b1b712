"""The index job: bringing the index in line with documents' records.

A job names a document and nothing of its content: what counts is the record as it is now. So jobs may repeat, come
late or in any order. A document is removed from the index and added again under its id, and becomes ready by a write
that requires the revision which was indexed.
"""

from collections.abc import Sequence

from helpdesk.knowledge import document_store, repository
from helpdesk.knowledge.index import copy_of
from helpdesk.knowledge.markdown import sections
from helpdesk.knowledge.repository import Document
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.knowledge.segments import IndexedDocument
from helpdesk.platform.logging import logger

PROBLEM_TEXT_MISSING = "The document's text is missing. Create the document again."
PROBLEM_UNREADABLE = (
    "The document's text could not be taken apart for the index. Create it again as plain Markdown."
)
PROBLEM_GAVE_UP = (
    "Indexing failed repeatedly. Your operator has been told; the document will be indexed once it is mended."
)


class Unindexable(Exception):
    """A document that no retry will make indexable; `problem` is what its writer is told."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


def index(organization: str, document_ids: Sequence[str]) -> None:
    """Index documents as one commit. A document that is ready already is left alone; one that is gone is removed.

    One that cannot be indexed becomes failed, with its problem, and does not hold up the others. Raises what AWS
    raises, and Conflict: then nothing is lost, and the job is to be done again.
    """
    records = repository.get_many(organization, document_ids)
    wanted = [record for record in records.values() if record.status is not DocumentStatus.READY]
    removed = [document_id for document_id in dict.fromkeys(document_ids) if document_id not in records]
    done: list[Document] = []
    added: list[IndexedDocument] = []
    for record in wanted:
        try:
            added.append(_prepared(record))
        except Unindexable as refused:
            logger.warning(
                "document_unindexable", extra={"organization": organization, "document": record.id}
            )
            repository.set_failed(record, refused.problem)
            removed.append(record.id)
        else:
            done.append(record)
            removed.append(record.id)
    if removed:
        copy_of(organization).write(removed, added)
    for record in done:
        repository.set_ready(record)
    logger.info(
        "documents_indexed",
        extra={"organization": organization, "indexed": len(done), "left_out": len(removed) - len(done)},
    )


def give_up(organization: str, document_id: str) -> None:
    """Say that a document could not be indexed in spite of every retry, unless it is ready or gone."""
    record = repository.get_many(organization, [document_id]).get(document_id)
    if record is not None and record.status is not DocumentStatus.READY:
        repository.set_failed(record, PROBLEM_GAVE_UP)


def _prepared(record: Document) -> IndexedDocument:
    try:
        parts = sections(record.title, document_store.read(record.text_key))
    except document_store.TextMissing:
        raise Unindexable(PROBLEM_TEXT_MISSING) from None
    except (ValueError, RecursionError):
        raise Unindexable(PROBLEM_UNREADABLE) from None
    return IndexedDocument(record.id, record.title, record.url, parts)
