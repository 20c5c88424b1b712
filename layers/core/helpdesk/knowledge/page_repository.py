"""The items of documents' public pages, one for each address that a document has or had."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import DocumentSlugTaken
from helpdesk.knowledge.folders import Tree
from helpdesk.knowledge.pages import DocumentPage, PageRating, page_of
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.storage.changes import Requirement, Values, difference, other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

GONE_DAYS = 365
"""How long an address says that its document was deleted. Then it is unknown."""

RATED_DAYS = 30
"""How long a visitor's rating is remembered, so that they count once."""

_COUNTS = ("reads", "helpful", "unhelpful", "answered")
_NO_COUNTS = dict.fromkeys(_COUNTS)
_AT_CLAIM = (
    "document_id",
    "title",
    "folder_id",
    "published",
    "text_key",
    "updated_at",
    "url",
    "path",
    "mirror",
)

pages = Collection(DocumentPage)


def at(organization: str, slug: str) -> DocumentPage | None:
    """Return what stands at an address. One call, which may read an older state."""
    return pages.find(organization, slug, consistent=False)


def get_many(organization: str, slugs: Sequence[str]) -> tuple[dict[str, DocumentPage], Tree]:
    """Return what stands at addresses now, and the tree of folders. One call for up to 99 addresses."""
    tree = Tree.key_for(organization)
    wanted = {DocumentPage.key_for(organization, slug): slug for slug in slugs}
    items = table.get_many([tree, *wanted])
    found = {slug: DocumentPage.from_item(items[key]) for key, slug in wanted.items() if key in items}
    return found, Tree.from_item(items[tree]) if tree in items else Tree(organization=organization)


def present(organization: str) -> list[DocumentPage]:
    """Return the page of every document, in the order of their addresses. One query for each 1 MB."""
    return [page for page in pages.all(organization) if page.moved_to is None and not page.is_gone]


def count(organization: str, slug: str, more: Mapping[str, int]) -> None:
    """Add to the counts of a page; nothing happens if the document has moved from there. One call."""
    with contextlib.suppress(ConditionFailed):
        table.change(
            DocumentPage.key_for(organization, slug), add=more, require={"text_key": other_than(None)}
        )


def rate(organization: str, page: DocumentPage, visitor_hash: str, *, helpful: bool) -> None:
    """Count whether a visitor found a page helpful. A second answer of theirs replaces the first.

    `visitor_hash` identifies a visitor and names none. Nothing happens if it is their rating already, or if the page is
    no longer there. Two calls, one if nothing changes.
    """
    key = PageRating.key_for(organization, page.document_id, visitor_hash)

    def attempt() -> None:
        before = table.get(key)
        known = None if before is None else PageRating.from_item(before).helpful
        if known == helpful:
            return
        counts = {"helpful" if helpful else "unhelpful": 1}
        if known is not None:
            counts["helpful" if known else "unhelpful"] = -1
        transaction = Transaction()
        transaction.change(
            key,
            set={"helpful": helpful, "expires_at": (clock.now_ms() + RATED_DAYS * DAY_MS) // 1_000},
            require={"helpful": known},
            or_new=known is None,
            on_failure=ConditionFailed,
        )
        transaction.change(page.key, add=counts, require=_present(page.document_id), on_failure=_Moved())
        with contextlib.suppress(_Moved):
            transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)  # the visitor may answer twice at once


class _Moved(Exception):
    """The document has another address, or none, since the page was read."""


def claim(transaction: Transaction, document: Document, counted: DocumentPage | None = None) -> None:
    """Give a document its address. `counted` is its former page, whose counts the new one takes over.

    The transaction raises DocumentSlugTaken if the address is, or was, another document's. That of a deleted document
    is free.
    """
    page = page_of(document)
    free_or_own = Requirement(
        "(attribute_not_exists(PK) OR attribute_exists(gone) OR {name} = {value})", document.id
    )
    transaction.change(
        page.key,
        set={
            **{name: getattr(page, name) for name in _AT_CLAIM},
            **{name: getattr(counted, name, None) for name in _COUNTS},
            "moved_to": None,
            "is_gone": None,
            "expiresAt": None,
        },
        require={"document_id": free_or_own},
        or_new=True,
        on_failure=DocumentSlugTaken(),
    )


def follow(transaction: Transaction, seen: Document, changed: Document, counted: DocumentPage | None) -> None:
    """Bring a document's page in line with a change of the document.

    A new address is claimed, and the former one leads there. The transaction raises DocumentSlugTaken, and
    ConditionFailed if the document has another address than the one that was read.
    """
    if seen.slug == changed.slug:
        if values := difference(page_of(seen).to_item(), page_of(changed)):
            _change(transaction, seen, values)
        return
    claim(transaction, changed, counted)
    moved = {"moved_to": changed.slug, "title": None, "text_key": None, "path": None, **_NO_COUNTS}
    _change(transaction, seen, moved)


def vacate(transaction: Transaction, seen: Document) -> None:
    """Let the address of a deleted document say that it is gone. The transaction raises ConditionFailed."""
    gone = {"is_gone": True, "expiresAt": (clock.now_ms() + GONE_DAYS * DAY_MS) // 1_000}
    shown = {"title": None, "text_key": None, "path": None, "url": None, **_NO_COUNTS}
    _change(transaction, seen, gone | shown)


def move(transaction: Transaction, seen: Document, folder_id: str | None) -> None:
    """Record that a document is in another folder. The transaction raises ConditionFailed."""
    _change(transaction, seen, {"folder_id": folder_id})


def _change(transaction: Transaction, seen: Document, values: Values) -> None:
    """Change the page of a document at its present address. The transaction raises ConditionFailed."""
    transaction.change(page_of(seen).key, set=values, require=_present(seen.id), on_failure=ConditionFailed)


def _present(document_id: str) -> dict[str, Any]:
    """Return what the page at a document's present address is like."""
    return {"document_id": document_id, "moved_to": None, "is_gone": None}
