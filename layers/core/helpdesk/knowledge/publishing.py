"""What the help site reads of the knowledge base: its published documents, their texts, and the folders around them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from helpdesk.knowledge import folder_repository, page_repository, repository
from helpdesk.knowledge.folders import ROOT, Folder, Tree
from helpdesk.knowledge.page_repository import at as page_at
from helpdesk.knowledge.page_repository import rate
from helpdesk.knowledge.pages import DocumentPage, in_order
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item
from helpdesk_files.paths import SourcePath, is_markdown, same_page

_NAMES = 3  # of a path, the most exact first


class Links:
    """The documents that links can lead to."""

    def __init__(self, pages: Iterable[DocumentPage]) -> None:
        self._by_path: dict[tuple[str | None, SourcePath], DocumentPage] = {}
        self._by_url: dict[str, DocumentPage] = {}
        named = [(page, SourcePath.parsed(page.path).names()) for page in pages if page.path]
        for place in range(_NAMES):
            for page, names in named:
                if place < len(names):
                    self._by_path.setdefault((page.mirror, names[place]), page)
        for page, _ in named:
            if page.url:
                self._by_url.setdefault(same_page(page.url), page)

    def target(self, page: DocumentPage, link: str) -> DocumentPage | str | None:
        """Return the document that a link in a page leads to, else an address of the page's own website, else None.

        `link` is a relative URL reference without its fragment. What begins with a slash is an address of the website
        first, if the page is published on one.
        """
        if page.path is None:
            return None
        source = SourcePath.parsed(page.path).joined(urlsplit(link).path)
        public = urljoin(page.url, link) if page.url else None
        by_path = None if source is None else self._of_path(page.mirror, source)
        by_url = None if public is None else self._by_url.get(same_page(public))
        found = (by_url or by_path) if link.startswith("/") else (by_path or by_url)
        if found is not None or is_markdown(urlsplit(link).path):
            return found
        return public

    def _of_path(self, mirror: str | None, source: SourcePath) -> DocumentPage | None:
        return self._by_path.get((mirror, source)) or self._by_path.get((mirror, source.shortened()))


__all__ = ["page_at", "rate"]  # for the help site

type Reader[T] = Callable[[DocumentPage], T]
"""Makes something of a document's text. Raises TextMissing if the text was replaced."""


class Contents(Record):
    """Everything that is published: folders in their order, and the documents in each."""

    tree: Tree
    folders: dict[str, Folder]
    pages: Sequence[DocumentPage]

    @cached_property
    def _by_folder(self) -> dict[str, list[DocumentPage]]:
        found: dict[str, list[DocumentPage]] = {}
        for page in in_order(self.pages):
            found.setdefault(self.place_of(page), []).append(page)
        return found

    @cached_property
    def links(self) -> Links:
        """Where links between the documents lead."""
        return Links(self.pages)

    @cached_property
    def by_document(self) -> dict[str, DocumentPage]:
        """The pages by the ids of their documents."""
        return {page.document_id: page for page in self.pages}

    def place_of(self, page: DocumentPage) -> str:
        """Return the folder that shows a document; ROOT for none, and for a folder that is gone."""
        return page.folder_id if page.folder_id in self.folders and page.folder_id in self.tree else ROOT

    def pages_in(self, folder_id: str = ROOT) -> list[DocumentPage]:
        """Return the documents of a folder, without those of its subfolders, by their titles."""
        return self._by_folder.get(folder_id, [])

    def pages_near(self, folder_id: str, slug: str, limit: int) -> list[DocumentPage]:
        """Return up to `limit` neighbouring documents of a folder, among them the one with a slug if it is there."""
        pages = self.pages_in(folder_id)
        if len(pages) <= limit:
            return pages
        place = next((place for place, page in enumerate(pages) if page.slug == slug), 0)
        first = max(0, min(place - limit // 2, len(pages) - limit))
        return pages[first : first + limit]

    def folders_in(self, parent: str = ROOT) -> list[Folder]:
        """Return the subfolders of a folder that have published documents in them, at any depth."""
        inside = self.tree.children.get(parent, ())
        return [self.folders[each] for each in inside if each in self.folders and self.count_in(each)]

    def count_in(self, folder_id: str) -> int:
        """Return how many published documents are in a folder and its subfolders."""
        return self._counts.get(folder_id, 0)

    @cached_property
    def _counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for folder_id, _, _ in reversed(list(self.tree.walk())):
            below = sum(counts.get(child, 0) for child in self.tree.children.get(folder_id, ()))
            counts[folder_id] = below + len(self.pages_in(folder_id))
        return counts

    def above(self, folder_id: str) -> list[Folder]:
        """Return a folder and those above it, the outermost first."""
        path: list[Folder] = []
        while folder_id != ROOT:
            path.append(self.folders[folder_id])
            folder_id = self.tree.parent_of(folder_id)
        return path[::-1]

    def around(self, page: DocumentPage) -> tuple[DocumentPage | None, DocumentPage | None]:
        """Return the documents before and after one in its folder."""
        pages = self.pages_in(self.place_of(page))
        slugs = [each.slug for each in pages]
        if page.slug not in slugs:
            return None, None
        place = slugs.index(page.slug)
        return (pages[place - 1] if place else None, pages[place + 1] if place + 1 < len(pages) else None)

    def most_read(self, limit: int) -> list[DocumentPage]:
        """Return the documents that are read most, without those that nobody read."""
        return sorted((page for page in self.pages if page.reads), key=lambda page: -page.reads)[:limit]


def tree_in(organization: str, items: Mapping[Key, Item]) -> Tree:
    """Return which folder is in which, given the tree's item if there is one."""
    found = items.get(Tree.key_for(organization))
    return Tree(organization=organization) if found is None else Tree.from_item(found)


def contents(organization: str, known: Contents | None = None, tree: Tree | None = None) -> Contents:
    """Return everything that an organization publishes. Two queries, more for each 1 MB of addresses or folders.

    One query less with what is `known` from before, if the present `tree` has the same version: each change of folders
    and of their names is another version.
    """
    if known is not None and tree is not None and known.tree.version == tree.version:
        tree, folders = known.tree, known.folders
    else:
        tree, folders = folder_repository.everything(organization)
    pages = page_repository.present(organization)
    return Contents(tree, folders, [page for page in pages if page.published or tree.shows(page.folder_id)])


def keys_of(organization: str, slug: str) -> Sequence[Key]:
    """Return the keys that say what stands at an address. Raises MalformedKey."""
    return (DocumentPage.key_for(organization, slug), Tree.key_for(organization))


class FoundPage(Record):
    """What stands at an address, and whether it is, or was when it was deleted, published.

    `was_moved` says that the document is at another address now, which `page` has.
    """

    page: DocumentPage
    is_public: bool
    was_moved: bool = False


_MOST_MOVES = 10


def find_page(organization: str, slug: str, items: Mapping[Key, Item]) -> FoundPage | None:
    """Return what stands at an address, given the items of `keys_of`; None if nothing ever did.

    One call for each time that the document has moved from there.
    """
    item = items.get(DocumentPage.key_for(organization, slug))
    if item is None:
        return None
    tree = tree_in(organization, items)
    page = DocumentPage.from_item(item)
    was_moved = page.moved_to is not None
    for _ in range(_MOST_MOVES):
        if page.moved_to is None:
            return FoundPage(page, page.published or tree.shows(page.folder_id), was_moved)
        target = page_repository.at(organization, page.moved_to)
        if target is None or target.document_id != page.document_id:
            return None
        page = target
    return None


def shown_now(organization: str, pages: Sequence[DocumentPage]) -> list[DocumentPage]:
    """Return those of these pages that are published now, as they are now. One consistent call for up to 99."""
    if not pages:
        return []
    now, tree = page_repository.get_many(organization, [page.slug for page in pages])
    found = [(page, now.get(page.slug)) for page in pages]
    return [
        fresh
        for page, fresh in found
        if fresh is not None
        and fresh.document_id == page.document_id
        and fresh.moved_to is None
        and not fresh.is_gone
        and (fresh.published or tree.shows(fresh.folder_id))
    ]


def count_answered(organization: str, document_ids: Sequence[str]) -> None:
    """Count that documents have answered one conversation more. One call, and one for each; none without documents."""
    for each in repository.documents.by_ids(organization, ids=document_ids).values():
        page_repository.count(organization, each.slug, {"answered": 1})


def count_reads(organization: str, slug: str, reads: int) -> None:
    """Count that a page was opened. One call."""
    page_repository.count(organization, slug, {"reads": reads})
