"""The items of knowledge documents. Their texts are in `document_store`, their folders in `folder_repository`.

Every write of a document requires the revision and the folder that were read, because the numbers of the folders and of
the organization's usage follow from them.
"""

from collections.abc import Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.events.outbox import Job, job_item
from helpdesk.knowledge import folder_repository, page_repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.schemas import DocumentStatus, SourceKind
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Filter, Item, Page
from helpdesk.storage.transactions import Transaction

_AS_READ = (
    "revision = :seenRevision AND folderId = :seenFolder AND (attribute_not_exists(slug) OR slug = :seenSlug) "
    "AND (attribute_not_exists(published) OR published = :seenPublished)"
)
_SET_BY_INDEXER = frozenset({"status", "problem", "indexedAt"})
_KEY = frozenset({"PK", "SK"})
_READ_AT_ONCE = 500
_MOST_QUERIES = 4
"""A page of a filtered list reads up to 2,000 documents, of which few or none may match."""


class DocumentFilter(NamedTuple):
    """Which documents a list has.

    `in_folder` restricts it to `folder_id`, where None means the documents that are in no folder. `words` are parts of
    titles, as `documents.searchable` returns them.
    """

    in_folder: bool = False
    folder_id: str | None = None
    status: DocumentStatus | None = None
    source: SourceKind | None = None
    words: tuple[str, ...] = ()

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
    transaction.put(document.to_item(), new=True)
    transaction.put(job_item(document.organization, document.index_job()), new=True)


def change(
    transaction: Transaction, seen: Document, changed: Document, counted: DocumentPage | None = None
) -> None:
    """Write a changed document over the one that was read, with the job that indexes it if its revision is new.

    `counted` is its page, if it gets another address. The transaction raises ConditionFailed if the document is not as
    it was read, FolderNotFound, and DocumentSlugTaken.
    """
    organization, reindexed = seen.organization, seen.revision != changed.revision
    skipped = _KEY if reindexed else _KEY | _SET_BY_INDEXER
    written = {name: value for name, value in changed.to_item().items() if name not in skipped}
    transaction.set(
        keys.KnowledgeDocument(organization, seen.id),
        written,
        condition=_AS_READ,
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    folder_repository.count(transaction, organization, seen.folder_id, changed.folder_id)
    page_repository.follow(transaction, seen, changed, counted)
    if reindexed:
        obsolete = [seen.text_key] if seen.text_key != changed.text_key else []
        transaction.put(job_item(organization, changed.index_job(obsolete)), new=True)


def give_address(transaction: Transaction, seen: Document, slug: str) -> None:
    """Give a document that was read without an address this one.

    The transaction raises ConditionFailed if it is not as it was read, and DocumentSlugTaken.
    """
    placed = replace(seen, slug=slug)
    transaction.set(
        keys.KnowledgeDocument(seen.organization, seen.id),
        {"slug": slug, "published": seen.published},
        condition=_AS_READ,
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    page_repository.claim(transaction, placed)


def delete(transaction: Transaction, seen: Document) -> None:
    """Delete the document that was read, and add the job that removes it from the index.

    Until that is done, `deleted` names it. The transaction raises ConditionFailed if it is not as it was read.
    """
    organization = seen.organization
    transaction.delete(
        keys.KnowledgeDocument(organization, seen.id),
        condition=_AS_READ,
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    transaction.put({**keys.DeletedDocument(organization, seen.id).attributes(), "id": seen.id})
    page_repository.vacate(transaction, seen)
    folder_repository.count(transaction, organization, seen.folder_id, None)
    transaction.put(job_item(organization, seen.removal_job()), new=True)


def _as_read(seen: Document) -> Item:
    return {
        ":seenRevision": seen.revision,
        ":seenFolder": seen.folder_id,
        ":seenSlug": seen.slug,
        ":seenPublished": seen.published,
    }


def get(organization: str, document_id: str) -> Document:
    """Return a document. Raises DocumentNotFound."""
    item = table.get(keys.KnowledgeDocument(organization, document_id))
    if item is None:
        raise DocumentNotFound
    return Document.from_item(organization, item)


def get_many(organization: str, document_ids: Sequence[str]) -> dict[str, Document]:
    """Return the documents that exist, by id."""
    found = table.get_many(
        [keys.KnowledgeDocument(organization, document_id) for document_id in document_ids]
    )
    return {item["id"]: Document.from_item(organization, item) for item in found.values()}


def newest(
    organization: str, wanted: DocumentFilter, limit: int, before: str | None
) -> tuple[list[Document], str | None]:
    """Return documents older than the id `before`, newest first, and the id to continue from (None at the end).

    One query. With a condition up to four, and then there may be fewer than `limit`, or none, before the end.
    """
    condition = wanted.condition
    found: list[Document] = []
    for _ in range(1 if condition is None else _MOST_QUERIES):
        page = _page(organization, wanted, condition, limit, before)
        found += [Document.from_item(organization, item) for item in page.items]
        if len(found) > limit:
            return found[:limit], found[limit - 1].id
        before = _id_of(page.after)
        if before is None or len(found) == limit:
            break
    return found, before


class Placed(NamedTuple):
    """A document by its id, and its address, if it has one."""

    id: str
    slug: str | None


def in_folder(organization: str, folder_id: str, limit: int) -> list[Placed]:
    """Return documents in a folder, as the index has them, which may lag behind."""
    partition = keys.documents_in(organization, folder_id)
    found = table.query(partition, index="GSI1", limit=limit)
    return [Placed(item["id"], item.get("slug")) for item in found.items]


def _page(
    organization: str, wanted: DocumentFilter, condition: Filter | None, limit: int, before: str | None
) -> Page:
    read = limit if condition is None else _READ_AT_ONCE
    after = keys.KnowledgeDocument(organization, before).attributes() if before else None
    if not wanted.in_folder:
        partition = keys.KnowledgeDocument(organization, "-").pk
        return table.query(
            partition, sk_prefix="DOC#", limit=read, newest_first=True, after=after, matching=condition
        )
    partition = keys.documents_in(organization, wanted.folder_id)
    if after is not None:
        after = {**after, "GSI1PK": partition, "GSI1SK": before}
    return table.query(
        partition, index="GSI1", limit=read, newest_first=True, after=after, matching=condition
    )


def _id_of(key: Item | None) -> str | None:
    found = None if key is None else keys.KnowledgeDocument.parse(key["PK"], key["SK"])
    return None if found is None else found.document_id


def move(
    transaction: Transaction, organization: str, documents: Sequence[Placed], source: str, target: str | None
) -> None:
    """Move documents from one folder to another, or out of any; nothing else of them changes.

    The transaction raises ConditionFailed if one of them is not in the folder any more, and FolderNotFound.
    """
    values = {
        ":source": source,
        ":target": target,
        ":partition": keys.documents_in(organization, target),
    }
    for document in documents:
        transaction.update(
            keys.KnowledgeDocument(organization, document.id),
            "SET folderId = :target, GSI1PK = :partition",
            condition="folderId = :source",
            values=values,
            on_failure=ConditionFailed,
        )
        if document.slug is not None:
            page_repository.move(transaction, organization, document.id, document.slug, target)
    folder_repository.count(transaction, organization, source, target, len(documents))


def deleted(organization: str) -> frozenset[str]:
    """Return the ids of the deleted documents that the index may still have.

    One consistent query. Read it before the index: a document that is missing here was either not deleted at that time,
    or is no longer in the index that is read afterwards.
    """
    partition = keys.DeletedDocument(organization, "-").pk
    return frozenset(item["id"] for item in table.query_all(partition, sk_prefix="DELETED#"))


def forget_deleted(organization: str, document_ids: Sequence[str]) -> None:
    """Forget deleted documents, once the index does not have them any more. One call for 25."""
    table.delete_many([keys.DeletedDocument(organization, document_id) for document_id in document_ids])


def add_job(organization: str, job: Job) -> None:
    """Queue a job without a change. One call."""
    table.put_new(job_item(organization, job))


def set_ready(document: Document) -> bool:
    """Mark this revision as ready; return False if the document has changed or is gone."""
    return _set_status(document, DocumentStatus.READY, None)


def set_failed(document: Document, problem: str) -> bool:
    """Mark this revision as failed, with the reason; return False as `set_ready` does."""
    return _set_status(document, DocumentStatus.FAILED, problem)


def _set_status(document: Document, status: DocumentStatus, problem: str | None) -> bool:
    ready = status is DocumentStatus.READY
    try:
        table.update(
            keys.KnowledgeDocument(document.organization, document.id),
            "SET #status = :status, problem = :problem" + (", indexedAt = :now" if ready else ""),
            condition="revision = :revision",
            names={"#status": "status"},
            values={
                ":status": status.value,
                ":problem": problem,
                ":revision": document.revision,
                **({":now": clock.now_ms()} if ready else {}),
            },
        )
    except ConditionFailed:
        return False
    return True
