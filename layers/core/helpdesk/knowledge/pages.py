"""The public page of a document: its address on the help site, and what the site shows of it.

Every document has an address, also one that is not published, so that publishing a folder is one write however many
documents it has. Whether a page can be opened is decided when it is read: the document is published, or one of its
folders is.
"""

import re
from collections.abc import Sequence
from typing import Self

from helpdesk.knowledge.documents import Document
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class DocumentPage(Record, kw_only=True):
    """What stands at an address: a document, the way to its present address, or nothing any more.

    moved_to    the slug that the document got instead; None at its present address
    is_gone     whether the document was deleted
    folder_id   the document's folder, also of a deleted one
    updated_at  ms
    path        the file that the document is a copy of, by which other documents link to it
    mirror      the mirror that brings the file and its images; None for other documents
    reads       about how often the page was opened, as far as proxies let it through
    helpful     how many visitors found it helpful, and `unhelpful` how many did not
    answered    in about how many conversations the agent answered from it
    """

    slug: str
    document_id: str
    moved_to: str | None = None
    is_gone: bool = False
    title: str = ""
    folder_id: str | None = None
    published: bool = False
    text_key: str = ""
    updated_at: int = 0
    url: str | None = None
    path: str | None = None
    mirror: str | None = None
    reads: int = 0
    helpful: int = 0
    unhelpful: int = 0
    answered: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a page's item."""
        return cls(
            slug=item["slug"],
            document_id=item["documentId"],
            moved_to=item.get("movedTo"),
            is_gone=item.get("gone", False),
            title=item.get("title", ""),
            folder_id=item.get("folderId"),
            published=item.get("published", False),
            text_key=item.get("textKey", ""),
            updated_at=item.get("updatedAt", 0),
            url=item.get("url"),
            path=item.get("path"),
            mirror=item.get("mirror"),
            reads=item.get("reads", 0),
            helpful=item.get("helpful", 0),
            unhelpful=item.get("unhelpful", 0),
            answered=item.get("answered", 0),
        )


def attributes_of(document: Document, slug: str) -> Item:
    """Return the attributes of a document's page, without its keys and its counts."""
    return {
        "slug": slug,
        "documentId": document.id,
        "title": document.title,
        "folderId": document.folder_id,
        "published": document.published,
        "textKey": document.text_key,
        "updatedAt": document.updated_at,
        "url": document.url,
        "path": document.source.path,
        "mirror": document.source.mirror,
    }


def in_order(pages: Sequence[DocumentPage]) -> list[DocumentPage]:
    """Return pages by their titles, as a folder shows them; digits count as numbers."""
    return sorted(pages, key=lambda page: (_natural(page.title), page.slug))


def _natural(title: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]{1,9})", title.casefold())
    return [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts if part
    ]
