"""The items of knowledge documents. Their texts are in `document_store`, their folders in `folder_repository`.

Every write of a document requires the revision and the folder that were read, because the numbers of the folders and of
the organization's usage follow from them.
"""

from collections.abc import Sequence
from contextlib import suppress
from copy import replace
from typing import Any, NamedTuple

from helpdesk.events.outbox import Job, job_item
from helpdesk.knowledge import folder_repository, page_repository
from helpdesk.knowledge.documents import NO_FOLDER, DeletedDocument, Document
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.schemas import DocumentStatus, SourceKind
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.changes import Values, difference
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Filter, Index
from helpdesk.storage.transactions import Transaction

documents = Collection(Document, missing=DocumentNotFound)


class DocumentFilter(NamedTuple):
    """Which documents a list has.

    `in_folder` restricts it to `folder_id`, where None means the documents that are in no folder. `words` are parts of
    titles, as `documents.searchable` returns them. With `unready` it has no documents that are ready.
    """

    in_folder: bool = False
    folder_id: str | None = None
    status: DocumentStatus | None = None
    source: SourceKind | None = None
    words: tuple[str, ...] = ()
    unready: bool = False

    def matches(self, document: Document) -> bool:
        """Return whether a document is in the folder, and has the status and the source."""
        return (
            (not self.in_folder or document.folder_id == self.folder_id)
            and self.status in {None, document.status}
            and self.source in {None, document.source.kind}
        )

    @property
    def condition(self) -> Filter | None:
        """What DynamoDB compares with each item that it reads; None if every item of the partition is listed."""
        parts: list[str] = []
        names: dict[str, str] = {}
        values: dict[str, str] = {}
        if self.status is not None:
            parts.append("#status = :status")
            names["#status"], values[":status"] = "status", self.status.value
        if self.source is not None:
            parts.append("#source.#kind = :kind")
            names |= {"#source": "source", "#kind": "kind"}
            values[":kind"] = self.source.value
        if self.unready:
            parts.append("#status <> :ready")
            names["#status"], values[":ready"] = "status", DocumentStatus.READY.value
        for number, word in enumerate(self.words):
            parts.append(f"contains(searchTitle, :word{number})")
            values[f":word{number}"] = word
        return Filter(" AND ".join(parts), names, values) if parts else None


def create(transaction: Transaction, document: Document) -> None:
    """Add a new document with its place in its folder, its page, and the job that indexes it.

    The transaction raises FolderNotFound, DocumentSlugTaken.
    """
    folder_repository.count(transaction, document.organization, None, document.folder_id)
    page_repository.claim(transaction, document)
    transaction.put(document, new=True)
    transaction.put(job_item(document.organization, document.index_job()), new=True)


def change(
    transaction: Transaction, seen: Document, changed: Document, counted: DocumentPage | None = None
) -> None:
    """Write a changed document over the one that was read, with the job that indexes it if its revision is new.

    `counted` is its page, if it gets another address. The transaction raises ConditionFailed if the document is not as
    it was read, FolderNotFound, and DocumentSlugTaken.
    """
    organization, reindexed = seen.organization, seen.revision != changed.revision
    values = difference(seen.to_item(), changed)
    if reindexed:
        values |= {"status": changed.status, "problem": changed.problem}  # the indexer may set them meanwhile
    transaction.change(seen.key, set=values, require=_as_read(seen), on_failure=ConditionFailed)
    folder_repository.count(transaction, organization, seen.folder_id, changed.folder_id)
    page_repository.follow(transaction, seen, changed, counted)
    if reindexed:
        obsolete = [seen.text_key] if seen.text_key != changed.text_key else []
        transaction.put(job_item(organization, changed.index_job(obsolete)), new=True)


def delete(transaction: Transaction, seen: Document) -> None:
    """Delete the document that was read, and add the job that removes it from the index.

    Until that is done, `deleted` names it. The transaction raises ConditionFailed if it is not as it was read.
    """
    organization = seen.organization
    transaction.delete(seen.key, require=_as_read(seen), on_failure=ConditionFailed)
    transaction.put(DeletedDocument(organization, seen.id))
    page_repository.vacate(transaction, seen)
    folder_repository.count(transaction, organization, seen.folder_id, None)
    transaction.put(job_item(organization, seen.removal_job()), new=True)


def _as_read(seen: Document) -> dict[str, Any]:
    return {
        "revision": seen.revision,
        "folder_id": seen.folder_id,
        "slug": seen.slug,
        "published": seen.published,
    }


def newest(
    organization: str, wanted: DocumentFilter, limit: int, before: str | None
) -> tuple[list[Document], str | None]:
    """Return documents older than the id `before`, newest first, and the id to continue from (None at the end).

    One query. With a condition up to four, and then there may be fewer than `limit`, or none, before the end. Raises
    MalformedKey for a folder that no folder's ID can name.
    """
    scope = [organization, wanted.folder_id or NO_FOLDER] if wanted.in_folder else [organization]
    index: Index | None = "GSI1" if wanted.in_folder else None
    return documents.newest(*scope, index=index, limit=limit, before=before, matching=wanted.condition)


def in_folder(organization: str, folder_id: str, limit: int) -> list[Document]:
    """Return documents in a folder, as the index has them, which may lag behind."""
    return documents.page(organization, folder_id, index="GSI1", limit=limit).records


def move(
    transaction: Transaction,
    organization: str,
    moved: Sequence[Document],
    source: str,
    target: str | None,
) -> None:
    """Move documents from one folder to another, or out of any; nothing else of them changes.

    The transaction raises ConditionFailed if one of them is not in the folder any more, and FolderNotFound.
    """
    for document in moved:
        transaction.change(
            document.key,
            set={"folder_id": target, **replace(document, folder_id=target).index_entry("GSI1")},
            require={"folder_id": source},
            on_failure=ConditionFailed,
        )
        page_repository.move(transaction, document, target)
    folder_repository.count(transaction, organization, source, target, len(moved))


def deleted(organization: str) -> frozenset[str]:
    """Return the ids of the deleted documents that the index may still have.

    One consistent query. Read it before the index: a document that is missing here was either not deleted at that time,
    or is no longer in the index that is read afterwards.
    """
    return frozenset(each.id for each in Collection(DeletedDocument).all(organization))


def forget_deleted(organization: str, document_ids: Sequence[str]) -> None:
    """Forget deleted documents, once the index does not have them any more. One call for 25."""
    table.delete_many([DeletedDocument.key_for(organization, each) for each in document_ids])


def add_job(organization: str, job: Job, job_id: str) -> None:
    """Queue a job without a change, once for its ID. One call."""
    with suppress(ConditionFailed):
        table.put_new(job_item(organization, job, job_id=job_id))


def set_ready(document: Document) -> bool:
    """Mark this revision as ready; return False if the document has changed or is gone."""
    values = {"status": DocumentStatus.READY, "problem": None, "indexed_at": clock.now_ms()}
    return _is_set(document, values)


def set_failed(document: Document, problem: str) -> bool:
    """Mark this revision as failed, with the reason; return False as `set_ready` does."""
    return _is_set(document, {"status": DocumentStatus.FAILED, "problem": problem})


def _is_set(document: Document, values: Values) -> bool:
    try:
        table.change(document.key, set=values, require={"revision": document.revision})
    except ConditionFailed:
        return False
    return True
