"""The items of knowledge documents. Their texts are in `document_store`."""

from collections.abc import Sequence

from helpdesk.events.outbox import job_item
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import DocumentNotFound, FolderNotFound
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def create(document: Document) -> None:
    """Write a new document and the job that indexes it in one transaction; its folder must exist.

    Raises FolderNotFound.
    """
    transaction = Transaction()
    if document.folder_id is not None:
        transaction.require(
            keys.KnowledgeFolder(document.organization, document.folder_id),
            "attribute_exists(PK)",
            on_failure=lambda _: FolderNotFound(),
        )
    transaction.put(document.to_item(), new=True)
    transaction.put(job_item(document.organization, document.index_job()), new=True)
    transaction.commit()


def require_folder(organization: str, folder_id: str) -> None:
    """Raise FolderNotFound unless the organization has the folder."""
    if table.get(keys.KnowledgeFolder(organization, folder_id)) is None:
        raise FolderNotFound


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


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Document], str | None]:
    """Return documents older than the id `before`, newest first, and the id to continue from (None at the end)."""
    partition = keys.KnowledgeDocument(organization, "-")
    after = keys.KnowledgeDocument(organization, before).attributes() if before else None
    page = table.query(partition.pk, sk_prefix="DOC#", limit=limit, newest_first=True, after=after)
    documents = [Document.from_item(organization, item) for item in page.items]
    return documents, page.items[-1]["id"] if page.after else None


def set_ready(document: Document) -> bool:
    """Mark this revision as ready; return False if the document has changed or is gone."""
    return _set_status(document, DocumentStatus.READY, None)


def set_failed(document: Document, problem: str) -> bool:
    """Mark this revision as failed, with the reason; return False as `set_ready` does."""
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
