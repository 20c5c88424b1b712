"""Which document a link in another document means: by the path of its file, or by the address of its public page."""

from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from helpdesk.knowledge.pages import DocumentPage
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
