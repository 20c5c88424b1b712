"""Items of knowledge documents; their texts are in `document_store`."""

from collections.abc import Sequence
from dataclasses import dataclass

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.knowledge.errors import DocumentNotFound, FolderNotFound
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


@dataclass(frozen=True, slots=True)
class Document:
    """A document's record.

    `revision` names the text it was written with and `text_key` is that text's place; `size` is its bytes. `url` is
    where the document is published, if anywhere: an answer that quotes it carries the link.
    """

    organization: str
    id: str
    title: str
    folder_id: str | None
    status: DocumentStatus
    problem: str | None
    size: int
    revision: str
    text_key: str
    url: str | None
    created_at: int
    updated_at: int
    indexed_at: int | None


def create(document: Document) -> None:
    """Write a new record and the job that indexes it, as one; in a folder only while that exists.

    Raises FolderNotFound.
    """
    transaction = Transaction()
    if document.folder_id is not None:
        transaction.require(
            keys.KnowledgeFolder(document.organization, document.folder_id),
            "attribute_exists(PK)",
            on_failure=lambda _: FolderNotFound(),
        )
    transaction.put(_to_item(document), new=True)
    transaction.put(job_item(document.organization, _index_job(document)), new=True)
    transaction.commit()


def require_folder(organization: str, folder_id: str) -> None:
    """Raise FolderNotFound unless the organization has the folder."""
    if table.get(keys.KnowledgeFolder(organization, folder_id)) is None:
        raise FolderNotFound


def get(organization: str, document_id: str) -> Document:
    """Return a document's record. Raises DocumentNotFound."""
    item = table.get(keys.KnowledgeDocument(organization, document_id))
    if item is None:
        raise DocumentNotFound
    return _from_item(organization, item)


def get_many(organization: str, document_ids: Sequence[str]) -> dict[str, Document]:
    """Return the records that exist, by id."""
    found = table.get_many(
        [keys.KnowledgeDocument(organization, document_id) for document_id in document_ids]
    )
    return {item["id"]: _from_item(organization, item) for item in found.values()}


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Document], str | None]:
    """Return records, newest first, older than the id `before`; and the id to go on from, None at the end."""
    partition = keys.KnowledgeDocument(organization, "-")
    after = keys.KnowledgeDocument(organization, before).attributes() if before else None
    page = table.query(partition.pk, sk_prefix="DOC#", limit=limit, newest_first=True, after=after)
    documents = [_from_item(organization, item) for item in page.items]
    return documents, page.items[-1]["id"] if page.after else None


def set_ready(document: Document) -> bool:
    """Say that this revision can be found; return False where the document has changed or gone since."""
    return _set_status(document, DocumentStatus.READY, None)


def set_failed(document: Document, problem: str) -> bool:
    """Say that this revision cannot be indexed, and why; return False as `set_ready` does."""
    return _set_status(document, DocumentStatus.FAILED, problem)


def _set_status(document: Document, status: DocumentStatus, problem: str | None) -> bool:
    try:
        table.update(
            keys.KnowledgeDocument(document.organization, document.id),
            "SET #status = :status, problem = :problem, indexedAt = :indexedAt",
            condition="revision = :revision",
            names={"#status": "status"},
            values={
                ":status": status.value,
                ":problem": problem,
                ":indexedAt": clock.now_ms() if status is DocumentStatus.READY else None,
                ":revision": document.revision,
            },
        )
    except ConditionFailed:
        return False
    return True


def _index_job(document: Document) -> Job:
    return Job(
        JobQueue.KNOWLEDGE,
        group=document.organization,
        deduplication=f"{document.id}.{document.revision}",
        body={"organization": document.organization, "documentId": document.id},
    )


def _to_item(document: Document) -> Item:
    return {
        **keys.KnowledgeDocument(document.organization, document.id).attributes(),
        "id": document.id,
        "title": document.title,
        "folderId": document.folder_id,
        "status": document.status.value,
        "problem": document.problem,
        "size": document.size,
        "revision": document.revision,
        "textKey": document.text_key,
        "url": document.url,
        "createdAt": document.created_at,
        "updatedAt": document.updated_at,
        "indexedAt": document.indexed_at,
    }


def _from_item(organization: str, item: Item) -> Document:
    return Document(
        organization=organization,
        id=item["id"],
        title=item["title"],
        folder_id=item["folderId"],
        status=DocumentStatus(item["status"]),
        problem=item["problem"],
        size=item["size"],
        revision=item["revision"],
        text_key=item["textKey"],
        url=item["url"],
        created_at=item["createdAt"],
        updated_at=item["updatedAt"],
        indexed_at=item["indexedAt"],
    )
