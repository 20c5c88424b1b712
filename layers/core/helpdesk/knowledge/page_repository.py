"""The items of documents' public pages, one for each address that a document has or had."""

import contextlib
from collections.abc import Mapping, Sequence

from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import DocumentSlugTaken
from helpdesk.knowledge.pages import DocumentPage, attributes_of
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys, table
from helpdesk.storage.keys import ItemKey
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

GONE_DAYS = 365
"""How long an address says that its document was deleted. Then it is unknown."""

RATED_DAYS = 30
"""How long a visitor's rating is remembered, so that they count once."""

_COUNTS = ("reads", "helpful", "unhelpful", "answered")
_PRESENT = "documentId = :own AND attribute_not_exists(movedTo) AND attribute_not_exists(gone)"


def key_of(organization: str, slug: str) -> ItemKey:
    """Return the key of what stands at an address. Raises MalformedKey."""
    return keys.DocumentPage(organization, slug)


def get(organization: str, slug: str) -> DocumentPage | None:
    """Return what stands at an address. One call."""
    item = table.get(keys.DocumentPage(organization, slug), consistent=False)
    return None if item is None else DocumentPage.from_item(item)


def get_many(organization: str, slugs: Sequence[str]) -> tuple[dict[str, DocumentPage], Item | None]:
    """Return what stands at addresses now, and the item of the folders' tree. One call for up to 99 addresses."""
    tree = keys.KnowledgeTree(organization)
    wanted = {keys.DocumentPage(organization, slug): slug for slug in slugs}
    items = table.get_many([tree, *wanted])
    pages = {slug: DocumentPage.from_item(items[key]) for key, slug in wanted.items() if key in items}
    return pages, items.get(tree)


def present(organization: str) -> list[DocumentPage]:
    """Return the page of every document, in the order of their addresses. One query for each 1 MB."""
    items = table.query_all(keys.DocumentPage(organization, "-").pk, sk_prefix="PAGE#")
    pages = (DocumentPage.from_item(item) for item in items)
    return [page for page in pages if page.moved_to is None and not page.is_gone]


def count(organization: str, slug: str, more: Mapping[str, int]) -> None:
    """Add to the counts of a page; nothing happens if the document has moved from there. One call."""
    with contextlib.suppress(ConditionFailed):
        table.update(
            keys.DocumentPage(organization, slug),
            "ADD " + ", ".join(f"#{name} :{name}" for name in more),
            condition="attribute_exists(textKey)",
            names={f"#{name}": name for name in more},
            values={f":{name}": number for name, number in more.items()},
        )


def rate(organization: str, page: DocumentPage, visitor_hash: str, *, helpful: bool) -> None:
    """Put a visitor's rating, and count it instead of their earlier one. Two calls.

    Nothing happens if it is their rating already, or if the page is no longer there.
    """
    key = keys.PageRating(organization, page.document_id, visitor_hash)

    def attempt() -> None:
        before = table.get(key)
        known = None if before is None else bool(before["helpful"])
        if known == helpful:
            return
        counts = {"helpful" if helpful else "unhelpful": 1}
        if known is not None:
            counts["helpful" if known else "unhelpful"] = -1
        transaction = Transaction()
        transaction.set(
            key,
            {"helpful": helpful, "expiresAt": (clock.now_ms() + RATED_DAYS * DAY_MS) // 1_000},
            condition="attribute_not_exists(PK)" if known is None else "#helpful = :before",
            values=None if known is None else {":before": known},
            on_failure=ConditionFailed,
        )
        transaction.update(
            keys.DocumentPage(organization, page.slug),
            "ADD " + ", ".join(f"#{name} :{name}" for name in counts),
            condition=_PRESENT,
            names={f"#{name}": name for name in counts},
            values={f":{name}": number for name, number in counts.items()} | {":own": page.document_id},
            on_failure=lambda _: _Moved(),
        )
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
    slug = document.slug or ""
    counts = {name: getattr(counted, name) for name in _COUNTS} if counted is not None else {}
    transaction.set(
        keys.DocumentPage(document.organization, slug),
        {**attributes_of(document, slug), **counts},
        removed=["movedTo", "gone", "expiresAt", *(name for name in _COUNTS if name not in counts)],
        condition="attribute_not_exists(PK) OR attribute_exists(gone) OR documentId = :own",
        values={":own": document.id},
        on_failure=lambda _: DocumentSlugTaken(),
    )


def follow(transaction: Transaction, seen: Document, changed: Document, counted: DocumentPage | None) -> None:
    """Bring a document's page in line with a change of the document.

    A new address is claimed, and the former one leads there. The transaction raises DocumentSlugTaken, and
    ConditionFailed if the document has another address than the one that was read.
    """
    slug = changed.slug or ""
    if seen.slug != changed.slug:
        claim(transaction, changed, counted)
        if seen.slug is not None:
            transaction.set(
                keys.DocumentPage(seen.organization, seen.slug),
                {"movedTo": slug},
                removed=["title", "textKey", "path", *_COUNTS],
                condition=_PRESENT,
                values={":own": seen.id},
                on_failure=ConditionFailed,
            )
        return
    after = attributes_of(changed, slug)
    if after == attributes_of(seen, slug):
        return
    transaction.set(
        keys.DocumentPage(seen.organization, slug),
        after,
        condition=_PRESENT,
        values={":own": seen.id},
        on_failure=ConditionFailed,
    )


def vacate(transaction: Transaction, seen: Document) -> None:
    """Let the address of a deleted document say that it is gone. The transaction raises ConditionFailed."""
    if seen.slug is None:
        return
    transaction.set(
        keys.DocumentPage(seen.organization, seen.slug),
        {"gone": True, "expiresAt": (clock.now_ms() + GONE_DAYS * DAY_MS) // 1_000},
        removed=["title", "textKey", "path", "url", *_COUNTS],
        condition=_PRESENT,
        values={":own": seen.id},
        on_failure=ConditionFailed,
    )


def move(
    transaction: Transaction, organization: str, document_id: str, slug: str, folder_id: str | None
) -> None:
    """Record that a document is in another folder. The transaction raises ConditionFailed."""
    transaction.set(
        keys.DocumentPage(organization, slug),
        {"folderId": folder_id},
        condition=_PRESENT,
        values={":own": document_id},
        on_failure=ConditionFailed,
    )
