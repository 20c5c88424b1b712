"""Brings the knowledge index in line with the documents.

A job names a document and nothing of its content: the record at that moment counts. Jobs may therefore repeat, come
late or come in any order. A document is removed from the index and added again under its id. It becomes ready by a
write on the condition that its revision is the one that was indexed.
"""

from collections.abc import Callable, Sequence

from helpdesk.knowledge import document_store, index_kinds, prose, repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.index import MAX_INDEX_BYTES, SEARCHABLE_BYTES, IndexedDocument, write
from helpdesk.knowledge.index_kinds import KindOfIndex, ReindexJob
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.knowledge.vectorizing import OutOfTime, UnfinishedVectors, prepare
from helpdesk.platform.logging import logger
from helpdesk.search.embeddings.embedder import Embedder
from helpdesk.search.s3_index.cache import IndexTooLarge

_AT_ONCE = 20  # documents of one commit while all are indexed again

PROBLEM_TEXT_MISSING = "The document's text is missing. Send it again with PATCH."
PROBLEM_UNREADABLE = "The document's text could not be split into sections. Send it again as plain Markdown."
PROBLEM_GAVE_UP = (
    "Indexing failed repeatedly. Your operator is notified; the document is indexed once the cause is fixed."
)
PROBLEM_INDEX_FULL = (
    "The knowledge base has reached the maximum size that can be searched: an index of "
    f"{MAX_INDEX_BYTES // 1_000_000} MB, about {SEARCHABLE_BYTES // 1_000_000} MB of text. "
    "Delete or shorten other documents, then send the text again."
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
    records = repository.documents.by_ids(organization, ids=document_ids)
    gone = [document_id for document_id in dict.fromkeys(document_ids) if document_id not in records]
    done, late = list(records.values()), False
    for target in index_kinds.written(organization):
        indexed, is_late = _index_into(target, list(records.values()), gone, time_is_left)
        done = [record for record in done if record.id in indexed]
        late = late or is_late
    changed = [record for record in done if record.status is not DocumentStatus.READY]
    for record in changed:
        repository.set_ready(record)
    if gone:
        repository.forget_deleted(organization, gone)
    document_store.delete(obsolete_texts)
    logger.info(
        "documents_indexed",
        extra={"organization": organization, "indexed": len(changed), "removed": len(gone)},
    )
    if late:
        raise OutOfTime


def reindex(job: ReindexJob, *, time_is_left: Callable[[], bool] = lambda: True) -> None:
    """Index documents that the index of the model that is set lacks, and hand the rest on when the time is over.

    The last job marks the index as whole and removes the indexes of other models. Until then the index of the model
    before goes on answering. May be repeated: what is indexed is skipped. Raises what `index` raises, apart from
    OutOfTime.
    """
    organization, before = job.organization, job.before
    target = index_kinds.wanted(organization)
    while True:
        records, following = repository.newest(organization, repository.DocumentFilter(), _AT_ONCE, before)
        ready = [record for record in records if record.status is DocumentStatus.READY]
        late = _reindex(target, ready, time_is_left)
        if not late:
            before = following
            if before is None:
                break
        if late or not time_is_left():
            rest = job.rest(before)
            repository.add_job(organization, rest.to_job(), rest.id)
            return
    index_kinds.finish(target, organization)
    logger.info(
        "documents_reindexed",
        extra={"organization": organization, "kind": target.model.kind, "turns": job.turn},
    )


def _reindex(target: KindOfIndex, records: Sequence[Document], time_is_left: Callable[[], bool]) -> bool:
    """Index some documents again; return whether the time ran out. One that does not fit becomes failed."""
    try:
        return _index_into(target, records, [], time_is_left)[1]
    except IndexTooLarge:
        if len(records) == 1:
            raise
    # One by one, as long as there is time.
    return any(_reindex(target, [record], time_is_left) or not time_is_left() for record in records)


def _index_into(
    target: KindOfIndex, records: Sequence[Document], gone: Sequence[str], time_is_left: Callable[[], bool]
) -> tuple[set[str], bool]:
    """Bring one index in line with documents; return the ids of those that it has now, and whether time ran out."""
    searcher = target.index.reader
    present = {
        record.id
        for record in records
        if record.status is DocumentStatus.READY
        and searcher is not None
        and searcher.has(_indexed_as(record))
    }
    done: list[Document] = []
    added: list[IndexedDocument] = []
    unfinished: list[UnfinishedVectors] = []
    late = False
    for record in records:
        if record.id in present:
            continue
        if (done or late) and not time_is_left():
            late = True
            continue
        store = UnfinishedVectors(record.organization, record.id, _indexed_as(record))
        try:
            added.append(_prepared(record, target.model, store, time_is_left))
        except Unindexable as refused:
            _fail(record, refused.problem)
        except OutOfTime:
            late = True
        else:
            done.append(record)
            unfinished.append(store)
    done = _commit(target, gone, done, added)
    for store in unfinished:
        store.remove()
    return present | {record.id for record in done}, late


def _commit(
    target: KindOfIndex, gone: Sequence[str], done: list[Document], added: Sequence[IndexedDocument]
) -> list[Document]:
    """Remove what is gone and replace what is done in one commit; return the documents that fit."""
    removed = [*gone, *(record.id for record in done)]
    # An index without any document is not made only to be marked.
    whole = target.model.model_id if target.is_whole and added else None
    if not removed:
        return []
    try:
        write(target.index, removed, added, whole=whole)
    except IndexTooLarge:
        if len(done) != 1:
            raise
        if gone:
            write(target.index, gone, [], whole=whole)
        _fail(done[0], PROBLEM_INDEX_FULL)
        return []
    return done


def give_up(organization: str, document_id: str) -> None:
    """Mark a document as failed after the last retry, unless it is ready or gone."""
    record = repository.documents.by_ids(organization, ids=[document_id]).get(document_id)
    if record is not None and record.status is not DocumentStatus.READY:
        repository.set_failed(record, PROBLEM_GAVE_UP)


def _indexed_as(record: Document) -> str:
    """Return what the index knows this text by: its revision, and the release of what reads it."""
    return f"{record.revision}.{prose.RELEASE}"


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
            _indexed_as(record),
            record.version,
            record.title,
            record.url,
            text,
            model,
            path=record.source.path,
            aliases=record.aliases,
            store=store,
            time_is_left=time_is_left,
        )
    except document_store.TextMissing:
        raise Unindexable(PROBLEM_TEXT_MISSING) from None
    except (ValueError, RecursionError):
        raise Unindexable(PROBLEM_UNREADABLE) from None
