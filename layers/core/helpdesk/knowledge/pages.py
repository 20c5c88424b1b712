"""The public page of a document: its address on the help site, and what the site shows of it.

Every document has an address, also one that is not published, so that publishing a folder is one write however many
documents it has. Whether a page can be opened is decided when it is read: the document is published, or one of its
folders is.
"""

import re
from collections.abc import Sequence

from helpdesk.knowledge.documents import Document
from helpdesk.storage.stored import Stored, field


class DocumentPage(Stored, kw_only=True):
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

    PK, SK = "ORG#{organization}#PAGE", "PAGE#{slug}"

    organization: str
    slug: str
    document_id: str
    moved_to: str | None = None
    is_gone: bool = field(default=False, name="gone")
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


class PageRating(Stored, kw_only=True):
    """Whether a visitor found a document helpful. `visitor_hash` is a SHA-256 of their network address and browser."""

    PK, SK = "ORG#{organization}#PAGERATING#{document_id}", "RATING#{visitor_hash}"

    organization: str
    document_id: str
    visitor_hash: str
    helpful: bool
    expires_at: int


def page_of(document: Document) -> DocumentPage:
    """Return the page of a document at its address, without counts."""
    return DocumentPage(
        organization=document.organization,
        slug=document.slug,
        document_id=document.id,
        title=document.title,
        folder_id=document.folder_id,
        published=document.published,
        text_key=document.text_key,
        updated_at=document.updated_at,
        url=document.url,
        path=document.source.path,
        mirror=document.source.mirror,
    )


def in_order(pages: Sequence[DocumentPage]) -> list[DocumentPage]:
    """Return pages by their titles, as a folder shows them; digits count as numbers."""
    return sorted(pages, key=lambda page: (_natural(page.title), page.slug))


def _natural(title: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]{1,9})", title.casefold())
    return [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts if part
    ]
