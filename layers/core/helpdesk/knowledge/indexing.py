"""Brings the knowledge index in line with the documents.

A job names a document and nothing of its content: the record at that moment counts. Jobs may therefore repeat, come
late or come in any order. A document is removed from the index and added again under its id. It becomes ready by a
write on the condition that its revision is the one that was indexed.
"""

from collections.abc import Callable, Sequence

from helpdesk.embeddings.embedder import Embedder, embedder
from helpdesk.knowledge import document_store, repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.index import index_of, write
from helpdesk.knowledge.index_format import IndexedDocument
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.knowledge.vector_store import UnfinishedVectors
from helpdesk.knowledge.vectorizing import OutOfTime, prepare
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.s3_index.cache import IndexTooLarge

PROBLEM_TEXT_MISSING = "The document's text is missing. Send it again with PATCH."
PROBLEM_UNREADABLE = "The document's text could not be split into sections. Send it again as plain Markdown."
PROBLEM_GAVE_UP = (
    "Indexing failed repeatedly. Your operator is notified; the document is indexed once the cause is fixed."
)
PROBLEM_INDEX_FULL = (
    "The knowledge base has reached its maximum size. Delete other documents, then send the text again."
)


class Unindexable(Exception):
    """A document that no retry can index. `problem` is shown to its author."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


def index(
    organization: str,
    document_ids: Sequence[str],
    obsolete_texts: Sequence[str] = (),
    *,
    time_is_left: Callable[[], bool] = lambda: True,
) -> None:
    """Index documents as one commit. Skips documents that are ready and indexed, and removes those that are gone.

    A document that cannot be indexed becomes failed, with its problem, and does not hold up the others; the index keeps
    what it has of it. Obsolete texts are deleted at the end. Raises what AWS raises, Conflict, and IndexTooLarge if
    several documents together do not fit: then nothing is lost, and the job has to be done again. Raises OutOfTime
    after the commit if documents are left over.
    """
    records = repository.get_many(organization, document_ids)
    gone = [document_id for document_id in dict.fromkeys(document_ids) if document_id not in records]
    model = embedder(settings().embedding_model_id)
    done: list[Document] = []
    added: list[IndexedDocument] = []
    unfinished: list[UnfinishedVectors] = []
    late = 0
    for record in _wanted(organization, list(records.values())):
        if (done or late) and not time_is_left():
            late += 1
            continue
        store = UnfinishedVectors(organization, record.id, record.revision, model.kind)
        try:
            added.append(_prepared(record, model, store, time_is_left))
        except Unindexable as refused:
            _fail(record, refused.problem)
        except OutOfTime:
            late += 1
        else:
            done.append(record)
            unfinished.append(store)
    done = _commit(organization, gone, done, added)
    for record in done:
        repository.set_ready(record)
    if gone:
        repository.forget_deleted(organization, gone)
    document_store.delete(obsolete_texts)
    for store in unfinished:
        store.remove()
    if late:
        logger.info("documents_left_over", extra={"organization": organization, "count": late})
        raise OutOfTime
    logger.info(
        "documents_indexed",
        extra={"organization": organization, "indexed": len(done), "removed": len(gone)},
    )


def _wanted(organization: str, records: Sequence[Document]) -> list[Document]:
    """Return the documents to index: those that are not ready, and ready ones that the index lacks.

    The index lacks them if it was lost, or is of another version or another model.
    """
    ready = {record.id for record in records if record.status is DocumentStatus.READY}
    if not ready:
        return list(records)
    current = index_of(organization)
    current.refresh()
    searcher = current.reader
    return [
        record
        for record in records
        if record.id not in ready or searcher is None or not searcher.has(record.revision)
    ]


def _commit(
    organization: str, gone: Sequence[str], done: list[Document], added: Sequence[IndexedDocument]
) -> list[Document]:
    """Remove what is gone and replace what is done in one commit; return the documents that fit."""
    removed = [*gone, *(record.id for record in done)]
    if not removed:
        return []
    try:
        write(index_of(organization), removed, added)
    except IndexTooLarge:
        if len(done) != 1:
            raise
        if gone:
            write(index_of(organization), gone, [])
        _fail(done[0], PROBLEM_INDEX_FULL)
        return []
    return done


def give_up(organization: str, document_id: str) -> None:
    """Mark a document as failed after the last retry, unless it is ready or gone."""
    record = repository.get_many(organization, [document_id]).get(document_id)
    if record is not None and record.status is not DocumentStatus.READY:
        repository.set_failed(record, PROBLEM_GAVE_UP)


def _fail(record: Document, problem: str) -> None:
    logger.warning("document_unindexable", extra={"organization": record.organization, "document": record.id})
    repository.set_failed(record, problem)


def _prepared(
    record: Document, model: Embedder, store: UnfinishedVectors, time_is_left: Callable[[], bool]
) -> IndexedDocument:
    try:
        text = document_store.read(record.text_key)
        return prepare(
            record.id,
            record.revision,
            record.version,
            record.title,
            record.url,
            text,
            model,
            store=store,
            time_is_left=time_is_left,
        )
    except document_store.TextMissing:
        raise Unindexable(PROBLEM_TEXT_MISSING) from None
    except (ValueError, RecursionError):
        raise Unindexable(PROBLEM_UNREADABLE) from None
