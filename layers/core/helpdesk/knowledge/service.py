"""The rules of knowledge documents (Specification: Knowledge and repositories; States, Knowledge document).

The text is written before the record that names it, and the record in one transaction with the job that indexes it. A
crash may leave an unnamed text, but never a record without its text or without its job.

`write`, `change` and `delete` are for every source of documents: people, accepted suggestions, crawls and repositories.
A caller can add actions of its own to their transaction, such as the state of a suggestion.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import replace
from enum import Enum
from itertools import islice
from typing import Final

from helpdesk.accounts.quotas import service as quotas
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge import checks, document_store, page_repository, repository
from helpdesk.knowledge.documents import Document, Source
from helpdesk.knowledge.errors import DocumentChanged, DocumentSlugTaken, DocumentSynced
from helpdesk.knowledge.schemas import (
    DocumentChangedAnswer,
    DocumentCreated,
    DocumentInput,
    DocumentStatus,
    DocumentSummary,
    DocumentUpdate,
)
from helpdesk.knowledge.slugs import candidates, require_slug
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError
from helpdesk.platform.record import Record
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Conflict, repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import ExtraWrites, Transaction
from helpdesk_files.names import distinct

_MOST_SLUGS = 4  # the third is random


class Keep(Enum):
    """Stands for a field that a change leaves as it is, where None is a value."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


class Draft(Record):
    """A document to write. `folder_id` and `url` are None for no folder and no public page.

    `path` is the file that a client copies the document from, if there is one. Without a `slug` it is made from the
    title.
    """

    title: str | None
    body: str | None
    folder_id: str | None = None
    url: str | None = None
    source: Source = Source()
    path: str | None = None
    published: bool = False
    slug: str | None = None
    aliases: Sequence[str] = ()


class Change(Record):
    """What to change of a document; None, or KEEP where None is a value, leaves a field as it is.

    `source` is for code that syncs the document: it shows that the text was compared with its source. `path` is the
    file that a client copies this change from. `new_alias` is added to the aliases.
    """

    title: str | None = None
    body: str | None = None
    folder_id: str | Keep | None = KEEP
    url: str | Keep | None = KEEP
    source: Source | None = None
    path: str | Keep | None = KEEP
    published: bool | None = None
    slug: str | None = None
    aliases: Sequence[str] | None = None
    new_alias: str | None = None


def write(
    organization: str,
    draft: Draft,
    actor: ActorName,
    *,
    document_id: str | None = None,
    extra_writes: ExtraWrites = lambda _: None,
) -> Document:
    """Write a new document, which is then indexed in the background.

    `actor` is who writes it, as people read it. `document_id` is a new ID, for a caller whose `extra_writes` name it.
    Each of those needs an error of its own: ConditionFailed stands for a changed document. Raises TitleMissing,
    BodyMissing, BodyTooLarge, BadUrl, InvalidRequest, FolderNotFound, PlanUpgradeRequired, DocumentLimit,
    DocumentSlugInvalid, DocumentSlugTaken, and what `extra_writes` make the transaction raise. Two calls, and one for
    each slug of the title that is taken.
    """
    title, text = checks.require_title(draft.title), checks.require_body(draft.body)
    document_id, revision, now = document_id or ids.new("doc"), ids.ulid(), clock.now_ms()
    document = Document(
        organization=organization,
        id=document_id,
        title=title,
        folder_id=draft.folder_id,
        status=DocumentStatus.INDEXING,
        source=draft.source
        if draft.path is None
        else draft.source.copied_from(checks.require_path(draft.path), version=1),
        url=None if draft.url is None else checks.require_url(draft.url),
        size=len(text),
        revision=revision,
        text_key=document_store.key_of(organization, document_id, revision),
        digest=sha256_hex(text),
        created_at=now,
        updated_at=now,
        created_by_name=actor,
        slug="",  # `commit_at` gives it the first that is free
        published=draft.published,
        aliases=checks.require_aliases(draft.aliases),
    )
    slugs = candidates(title) if draft.slug is None else [require_slug(draft.slug)]

    def commit_at(slug: str) -> Document:
        placed = replace(document, slug=slug)

        def commit(plan: Plan) -> None:
            transaction = Transaction()
            repository.create(transaction, placed)
            quotas.count_documents(transaction, organization, plan, documents=1, size=document.size)
            extra_writes(transaction)
            transaction.commit()

        quotas.with_plan(organization, commit)
        return placed

    document_store.write(document.text_key, text)
    try:
        return _at_first_free(slugs, commit_at)
    except AppError:
        _take_back(document.text_key)
        raise


def _at_first_free(slugs: Iterable[str], commit_at: Callable[[str], Document]) -> Document:
    """Commit with the first slug that is not taken. Raises DocumentSlugTaken if all are."""
    for slug in islice(slugs, _MOST_SLUGS):
        try:
            return commit_at(slug)
        except DocumentSlugTaken:
            continue
    raise DocumentSlugTaken


def change(
    organization: str,
    document_id: str,
    wanted: Change,
    actor: ActorName,
    *,
    version: int | None = None,
    extra_writes: ExtraWrites = lambda _: None,
) -> Document:
    """Change a document and return it. The agent answers from its old text until the new one is indexed.

    With `version` nothing changes unless the document still has it. Where a field already is as wanted, it does not
    count as changed, except for a text that could not be indexed; if none changes, `extra_writes` alone is committed.

    Raises DocumentNotFound, DocumentChanged, DocumentSynced (unless `wanted.source` is given, or only the place
    changes: folder, slug, whether it is published; or its aliases), and what `write` raises.
    Calls: record, text if it changes, page if it gets another slug, transaction.
    """
    wanted = _checked(wanted)
    text = None if wanted.body is None else checks.require_body(wanted.body)
    stored: str | None = None  # the key of the new text

    def attempt() -> Document:
        nonlocal stored
        seen = _require(organization, document_id, version, wanted)
        if text is not None and stored is None and _is_new(text, seen):
            stored = document_store.key_of(organization, document_id, ids.ulid())
            document_store.write(stored, text)
        return _commit_change(seen, _changed(seen, wanted, actor, text, stored), extra_writes)

    try:
        return repeat_when_stale(attempt, ConditionFailed)
    except (AppError, Conflict):
        _take_back(stored)
        raise


def _commit_change(seen: Document, changed: Document, extra_writes: ExtraWrites) -> Document:
    """Write a changed document over the one that was read, and what `extra_writes` adds. Raises ConditionFailed."""
    counted = None if seen.slug == changed.slug else page_repository.at(seen.organization, seen.slug)

    def write_all(plan: Plan) -> None:
        transaction = Transaction()
        if changed != seen:
            repository.change(transaction, seen, changed, counted)
            quotas.count_documents(
                transaction, seen.organization, plan, documents=0, size=changed.size - seen.size
            )
        extra_writes(transaction)
        if len(transaction):
            transaction.commit()

    quotas.with_plan(seen.organization, write_all)
    return changed


def delete(
    organization: str,
    document_id: str,
    *,
    version: int | None = None,
    extra_writes: ExtraWrites = lambda _: None,
) -> None:
    """Delete a document. No answer uses it from now on. Its text goes with the job that removes it from the index.

    With `version` it is only deleted if it still has it. Raises DocumentNotFound, DocumentChanged.
    Calls: record, transaction.
    """

    def attempt() -> None:
        seen = _require(organization, document_id, version)
        transaction = Transaction()
        repository.delete(transaction, seen)
        quotas.uncount_documents(transaction, organization, documents=1, size=seen.size)
        extra_writes(transaction)
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def create_from_request(caller: Caller, written: DocumentInput) -> DocumentCreated:
    """Create the document of a request. Raises what `write` raises."""
    draft = Draft(
        written.title,
        written.body,
        written.folder_id,
        written.url,
        path=written.path,
        published=bool(written.published),
        slug=written.slug,
        aliases=written.aliases or (),
    )
    return DocumentCreated(id=write(caller.organization, draft, caller.actor).id)


def update_from_request(caller: Caller, document_id: str, wanted: DocumentUpdate) -> DocumentChangedAnswer:
    """Change a document as a request says. Raises what `change` raises."""
    sent = wanted.model_fields_set
    changed = change(
        caller.organization,
        document_id,
        Change(
            title=wanted.title,
            body=wanted.body,
            folder_id=wanted.folder_id if "folder_id" in sent else KEEP,
            url=wanted.url if "url" in sent else KEEP,
            path=wanted.path if "path" in sent else KEEP,
            published=wanted.published,
            slug=wanted.slug,
            aliases=wanted.aliases,
        ),
        caller.actor,
        version=wanted.version,
    )
    return DocumentChangedAnswer(document=DocumentSummary.from_record(changed))


def _checked(wanted: Change) -> Change:
    """Return a change in the form in which it is stored."""
    return replace(
        wanted,
        title=None if wanted.title is None else checks.require_title(wanted.title),
        url=wanted.url if wanted.url is None or wanted.url is KEEP else checks.require_url(wanted.url),
        path=wanted.path if wanted.path is None or wanted.path is KEEP else checks.require_path(wanted.path),
        slug=None if wanted.slug is None else require_slug(wanted.slug),
        aliases=None if wanted.aliases is None else checks.require_aliases(wanted.aliases),
    )


def _require(
    organization: str, document_id: str, version: int | None, wanted: Change | None = None
) -> Document:
    """Return the document, if it has the version and takes the change."""
    seen = repository.documents.get(organization, document_id)
    edits = wanted is not None and (
        wanted.title is not None
        or wanted.body is not None
        or wanted.url is not KEEP
        or wanted.path is not KEEP
    )
    if edits and seen.source.kind.synced and wanted is not None and wanted.source is None:
        raise DocumentSynced
    if version is not None and seen.version != version:
        raise DocumentChanged
    return seen


def _is_new(text: bytes, seen: Document) -> bool:
    """Return whether a text has to be indexed: it is another one, or indexing it has failed."""
    return seen.digest != sha256_hex(text) or seen.status is DocumentStatus.FAILED


def _changed(
    seen: Document, wanted: Change, actor: ActorName, text: bytes | None, text_key: str | None
) -> Document:
    aliases = seen.aliases if wanted.aliases is None else tuple(wanted.aliases)
    if wanted.new_alias is not None:
        aliases = checks.require_aliases(
            distinct([*aliases, checks.require_alias(wanted.new_alias, "alias")])
        )
    changed = replace(
        seen,
        title=seen.title if wanted.title is None else wanted.title,
        url=seen.url if wanted.url is KEEP else wanted.url,
        folder_id=seen.folder_id if wanted.folder_id is KEEP else wanted.folder_id,
        published=seen.published if wanted.published is None else wanted.published,
        slug=seen.slug if wanted.slug is None else wanted.slug,
        aliases=aliases,
    )
    if text is not None and text_key is not None:
        changed = replace(changed, size=len(text), text_key=text_key, digest=sha256_hex(text))
    if any(getattr(changed, name) != getattr(seen, name) for name in ("title", "url", "text_key", "aliases")):
        changed = changed.next_version()
    if wanted.path is not KEEP:
        changed = replace(changed, source=changed.source.copied_from(wanted.path, changed.version))
    if changed != seen:
        changed = replace(changed, updated_at=clock.now_ms(), updated_by_name=actor)
    return changed if wanted.source is None else replace(changed, source=wanted.source)


def _take_back(text_key: str | None) -> None:
    """Delete a text that was stored for a request that is refused, so that refused requests cannot fill the store."""
    if text_key is not None:
        document_store.delete([text_key])
