"""Requests and responses of the document routes (Specification: Knowledge and repositories)."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, Query, schema_hint
from helpdesk.knowledge.errors import (
    MAX_ALIAS_CHARACTERS,
    MAX_ALIASES,
    MAX_BODY_BYTES,
    MAX_PATH_CHARACTERS,
    MAX_SLUG_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_URL_CHARACTERS,
)


class DocumentStatus(StrEnum):
    """The state of a document. The agent answers from documents that are ready."""

    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class SourceKind(StrEnum):
    """Where a document's text comes from."""

    WRITTEN = "written"
    SUGGESTION = "suggestion"
    CRAWL = "crawl"
    REPOSITORY = "repository"

    @property
    def synced(self) -> bool:
        """Whether the text follows its source, so that people may only move the document between folders."""
        return self in {SourceKind.CRAWL, SourceKind.REPOSITORY}


Title = Annotated[str, schema_hint(maxLength=MAX_TITLE_CHARACTERS)]
BodyText = Annotated[str, schema_hint(maxLength=MAX_BODY_BYTES)]
PageUrl = Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")]
DocumentSlug = Annotated[str, schema_hint(minLength=1, maxLength=MAX_SLUG_CHARACTERS)]
Alias = Annotated[str, schema_hint(minLength=1, maxLength=MAX_ALIAS_CHARACTERS)]
Aliases = Annotated[list[Alias], schema_hint(maxItems=MAX_ALIASES)]
FilePath = Annotated[str, schema_hint(minLength=1, maxLength=MAX_PATH_CHARACTERS)]


class DocumentInput(Body):
    """The body of POST /knowledge/documents. Missing fields have error codes of their own, so none is required here."""

    model_config = ConfigDict(json_schema_extra={"required": ["title", "body"]})

    title: Title | None = None
    """Required, up to 120 characters after trimming. The error is `title_missing` if it is missing or blank."""
    body: BodyText | None = None
    """Required, in Markdown, up to 900,000 bytes in UTF-8. The error is `body_missing` if it is missing or blank."""
    folder_id: str | None = None
    """The ID of the document's folder; none by default."""
    url: PageUrl | None = None
    """The public page of the document, to which answers link: an http or https address. None by default."""
    published: bool | None = None
    """Whether the help site shows the document; false by default. A published folder shows all that are in it."""
    slug: DocumentSlug | None = None
    """The last part of the document's address on the help site; made from the title by default."""
    path: FilePath | None = None
    """The file that the document is a copy of, for a client that keeps a folder of files and the knowledge base in
    step; up to 1,000 characters. It is in `source.path`. None by default."""
    aliases: Aliases | None = None
    """Words that find the document, like its title, though nobody reads them: up to 50, each of up to 120
    characters. None by default."""


class DocumentUpdate(Body):
    """The body of PATCH /knowledge/documents/{id}; omitted fields stay as they are.

    A document that is synced from a page or a repository takes only `folderId`, `published`, `slug` and `aliases`.
    """

    title: Title | None = None
    """Up to 120 characters after trimming."""
    body: BodyText | None = None
    """The whole text, in Markdown, up to 900,000 bytes in UTF-8. The agent answers from the old text until the new one
    is indexed."""
    folder_id: str | None = None
    """The ID of the folder to move it to; null takes it out of its folder."""
    url: PageUrl | None = None
    """The public page of the document; null removes it."""
    path: FilePath | None = None
    """The file that the document is a copy of, up to 1,000 characters; null ends that. Send it with each change that a
    client copies from the file: `source.version` is then the version that the change results in."""
    published: bool | None = None
    """Whether the help site shows the document."""
    slug: DocumentSlug | None = None
    """The last part of its address on the help site. The former address leads to the new one."""
    aliases: Aliases | None = None
    """Words that find the document, in place of the former ones: up to 50, each of up to 120 characters. An empty
    array removes them."""
    version: int | None = None
    """The `version` that the change is based on. If the document has another one, nothing changes and the error is
    `doc_changed`. By default the change applies to any version."""


class AliasInput(Body):
    """The body of POST /knowledge/documents/{id}/aliases."""

    alias: Alias
    """Words that find the document, up to 120 characters after trimming."""


class DocumentCreated(Answer):
    """The response of POST /knowledge/documents."""

    id: str


class SourceShape(Answer):
    """Where a document's text comes from."""

    kind: SourceKind
    """`written` by a person or a key, an accepted `suggestion`, a `crawl` of a website, or a `repository`."""
    url: str | None
    """The page that was crawled."""
    repo: str | None
    """The repository, as owner/repo."""
    path: str | None
    """The file in the repository, or the `path` that a client sent."""
    version: int | None
    """The version that the latest request with `path` resulted in. If the document's `version` is greater, the document
    has been changed otherwise since. Null if no client sent a `path`."""
    synced_at: Milliseconds | None
    """When the text was last compared with its source; null for documents that are not synced."""


class DocumentSummary(Answer):
    """A document without its text."""

    id: str
    title: str
    folder_id: str | None
    """The ID of its folder; null if it is in none."""
    status: DocumentStatus
    """The agent answers from documents that are ready, and from the former text of one that has been changed since."""
    problem: str | None
    """Why indexing failed; null otherwise."""
    source: SourceShape
    url: str | None
    """The public page of the document, to which answers link."""
    version: int
    """Counts the changes of title, text, page and aliases, from 1."""
    size: int
    """The size of the text in bytes."""
    digest: str
    """The SHA-256 of the text in UTF-8, in hexadecimal."""
    created_at: Milliseconds
    updated_at: Milliseconds
    indexed_at: Milliseconds | None
    """When it was last indexed; null before."""
    created_by: str | None
    """The ID of the person or key."""
    created_by_name: str
    """The person or key that created it."""
    updated_by: str | None
    """The ID of the person or key."""
    updated_by_name: str | None
    """The person or key that changed it last; null before the first change."""
    published: bool
    """Whether the help site shows the document. If not, a published folder around it does."""
    slug: str
    """The last part of its address on the help site."""
    aliases: list[str]
    """Words that find the document, like its title, though nobody reads them."""


class DocumentShape(DocumentSummary):
    """A document with its text."""

    body: str
    """The text, in Markdown. If a text of control characters exceeds the size of a response, they are U+FFFD here."""


class DocumentDeletionQuery(Query):
    """The parameters of DELETE /knowledge/documents/{id}."""

    version: int | None = None
    """The `version` that the deletion is based on. If the document has another one, it is not deleted and the error is
    `doc_changed`. By default any version is deleted."""


class DocumentsQuery(PageQuery):
    """The parameters of GET /knowledge/documents."""

    folder_id: str | None = None
    """Only documents in this folder, without its subfolders; `none` for those in no folder."""
    status: DocumentStatus | None = None
    """Only documents in this state."""
    source: SourceKind | None = None
    """Only documents from this kind of source."""
    q: str | None = None
    """Search the documents: those that have all of these words in their title, aliases or text, and those that are
    about the same, the best match first. The last word may be the beginning of one. At the end come documents that
    aren't indexed yet whose title or aliases have the words. With `q`, `status` or `source` a page may have fewer than
    `limit` documents, or none, while there is a `nextCursor`."""


class DocumentsAnswer(Answer):
    """The response of GET /knowledge/documents, newest first; with `q`, the best match first."""

    documents: list[DocumentSummary]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class DocumentAnswer(Answer):
    """The response of GET /knowledge/documents/{id}."""

    document: DocumentShape


class DocumentChangedAnswer(Answer):
    """The response of PATCH /knowledge/documents/{id}."""

    document: DocumentSummary
