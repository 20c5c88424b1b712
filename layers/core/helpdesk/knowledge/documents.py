"""The record of a knowledge document, where it comes from, and the job that indexes it."""

from collections.abc import Sequence
from copy import replace

from msgspec.structs import force_setattr

from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.knowledge.schemas import DocumentStatus, SourceKind
from helpdesk.platform import ids
from helpdesk.platform.record import Record
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored, field

NO_FOLDER = "none"
"""Stands for no folder in GSI1 and in queries. No folder's ID is equal to it."""


class Source(Record):
    """Where a document's text comes from.

    `url` is the page that was crawled; `repo` and `path` name a file of a repository. `synced_at` (ms) is when the text
    was last compared with its source. A document that a client copies from a file has the file's `path`, and `version`
    is the document's version that the client's latest request resulted in. `mirror` is the id of the mirror that brings
    the file, and its images.
    """

    kind: SourceKind = SourceKind.WRITTEN
    url: str | None = None
    repo: str | None = None
    path: str | None = None
    synced_at: int | None = None
    version: int | None = None
    mirror: str | None = None

    def copied_from(self, path: str | None, version: int) -> "Source":
        """Return the source of a document whose version a client copied from a file; None is no file any more."""
        return replace(self, path=path, version=None if path is None else version)


class IndexJob(JobBody):
    """An instruction to bring the index in line with one document.

    The document's record says what to do: index it, do nothing because it is ready, or remove it because it is gone. So
    a job may be repeated, late or out of order. `version` and `deleted` say what the job was created for, for the log
    and to tell jobs apart. `obsolete_texts` are keys of texts that no record names any more; the indexer deletes them.
    """

    organization: str
    document_id: str
    version: int
    deleted: bool = False
    obsolete_texts: tuple[str, ...] = ()


class Document(Stored, kw_only=True):
    """A document without its text.

    `version` counts the changes of title, text, url and aliases, from 1. `revision` identifies one of these versions
    among those of all documents, and `text_key` is the text's object key. `size` is the text's bytes and `digest` its
    SHA-256. `url` is the public page of the document, to which answers link. Times are in ms. `slug` is its address on
    the help site. `published` says whether it is published itself, whatever its folder is. `aliases` are words that
    find it, like its title. `search_title` is both as lists search them.
    """

    PK, SK = "ORG#{organization}#KNOWLEDGE", "DOC#{id}"
    GSI1 = "ORG#{organization}#DOCUMENTS#{folder_key}", "{id}"

    organization: str
    id: str
    title: str
    search_title: str = ""
    folder_id: str | None = None
    status: DocumentStatus
    problem: str | None = None
    source: Source = Source()
    url: str | None = None
    version: int = 1
    size: int
    revision: str
    text_key: str
    digest: str = field(name="textHash")
    created_at: int
    updated_at: int
    indexed_at: int | None = None
    created_by_name: ActorName
    updated_by_name: ActorName | None = None
    slug: str
    published: bool = False
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Derive the text that lists search, also after title or aliases were changed."""
        force_setattr(self, "search_title", searchable(" ".join([self.title, *self.aliases])))

    @property
    def folder_key(self) -> str:
        """Its folder's ID, as GSI1 has it: `none` for a document in no folder."""
        return self.folder_id or NO_FOLDER

    def next_version(self) -> "Document":
        """Return the document with a new version, which waits to be indexed."""
        return replace(
            self,
            version=self.version + 1,
            revision=ids.ulid(),
            status=DocumentStatus.INDEXING,
            problem=None,
        )

    def index_job(self, obsolete_texts: Sequence[str] = ()) -> Job:
        """Return the job that indexes this version."""
        job = IndexJob(self.organization, self.id, version=self.version, obsolete_texts=tuple(obsolete_texts))
        return Job(JobQueue.KNOWLEDGE, job.to_body())

    def removal_job(self) -> Job:
        """Return the job that removes the document from the index, and its text."""
        job = IndexJob(
            self.organization,
            self.id,
            version=self.version,
            deleted=True,
            obsolete_texts=(self.text_key,),
        )
        return Job(JobQueue.KNOWLEDGE, job.to_body())


class DeletedDocument(Stored):
    """Marks a deleted document that the index may still have, so that no answer uses it."""

    PK, SK = "ORG#{organization}#KNOWLEDGE", "DELETED#{id}"

    organization: str
    id: str


def searchable(text: str) -> str:
    """Return text as titles are compared: without case and repeated white space."""
    return " ".join(text.casefold().split())
