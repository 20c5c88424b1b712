"""The record of a knowledge document, and the job that indexes it."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class IndexJob(FrozenRecord):
    """An instruction to index a document, or to remove it from the index if it is gone."""

    organization: str
    document_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(organization=body["organization"], document_id=body["documentId"])

    def to_body(self) -> dict[str, str]:
        """Return the job as a queue message."""
        return {"organization": self.organization, "documentId": self.document_id}


class Document(FrozenRecord):
    """A document without its text.

    `revision` identifies the text, `text_key` is the text's object key and `size` its bytes. `url` is the address at
    which the document is published, if any: an answer that quotes the document links to it. Times are in ms.
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

    def to_item(self) -> Item:
        """Return the document as an item."""
        return {
            **keys.KnowledgeDocument(self.organization, self.id).attributes(),
            "id": self.id,
            "title": self.title,
            "folderId": self.folder_id,
            "status": self.status.value,
            "problem": self.problem,
            "size": self.size,
            "revision": self.revision,
            "textKey": self.text_key,
            "url": self.url,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "indexedAt": self.indexed_at,
        }

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Return the document of an item."""
        return cls(
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

    def index_job(self) -> Job:
        """Return the job that indexes this revision. It names the document; the record says what to index."""
        return Job(
            JobQueue.KNOWLEDGE,
            group=self.organization,
            deduplication=f"{self.id}.{self.revision}",
            body=IndexJob(self.organization, self.id).to_body(),
        )
