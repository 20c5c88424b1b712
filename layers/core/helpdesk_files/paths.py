"""Where a file is within its source, and which paths of links lead to it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

MARKDOWN_SUFFIXES = (".md", ".mdx", ".markdown")
_INDEX_NAMES = frozenset({"index", "readme", "_index"})
"""Names of files that are the page of their directory, in lower case."""
_SEPARATOR = "//"
_PAGE_SUFFIX = re.compile(r"\.html?$")


class SourcePath(NamedTuple):
    """The path of a file within a source: a folder that is pushed on its own, or everything that is pushed plainly.

    `scope` is the folder of the knowledge base that the source is pushed into; empty for none. `path` is relative to
    the source, with slashes. As text it is `scope//path`, or `path` without a scope: `source.path` of the API.
    """

    scope: str
    path: str

    @classmethod
    def parsed(cls, text: str) -> SourcePath:
        """Return the path of a text. Names that differ only in their Unicode form (NFC, NFD) are the same name."""
        text = unicodedata.normalize("NFC", text)
        scope, _, path = text.partition(_SEPARATOR)
        # `//` at the beginning or the end separates nothing: another client's path.
        return cls(scope, path) if scope and path else cls("", text)

    def __str__(self) -> str:
        return f"{self.scope}{_SEPARATOR}{self.path}" if self.scope else self.path

    def joined(self, link: str) -> SourcePath | None:
        """Return where the path of a link in this file leads; None if that is outside of the source.

        `link` is the path of a URL reference, with its escapes. One that begins with a slash begins at the root of the
        source.
        """
        link = unicodedata.normalize("NFC", unquote(link))
        parts = [] if link.startswith("/") else self.path.split("/")[:-1]
        for part in link.split("/"):
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part not in {"", "."}:
                parts.append(part)
        return SourcePath(self.scope, "/".join(parts))

    def shortened(self) -> SourcePath:
        """Return the path as a link may name it: without `.html`, and without a slash at its end."""
        return SourcePath(self.scope, _PAGE_SUFFIX.sub("", self.path.rstrip("/")))

    def names(self) -> tuple[SourcePath, ...]:
        """Return the paths that mean this file in a link, the most exact first: itself, its page, its directory."""
        page = page_of(self.path)
        names = (self.path, self.path.removesuffix(PurePosixPath(self.path).suffix), page)
        return tuple(SourcePath(self.scope, name) for name in dict.fromkeys(names))


def is_markdown(path: str) -> bool:
    """Return whether a file is Markdown, by its name."""
    return path.lower().endswith(MARKDOWN_SUFFIXES)


def is_index(path: str) -> bool:
    """Return whether a file is the page of its directory, by its name."""
    return PurePosixPath(path).stem.lower() in _INDEX_NAMES


def page_of(path: str) -> str:
    """Return the path of a file's page on a website: without its suffix, or its directory for an index."""
    pure = PurePosixPath(path)
    page = pure.parent if is_index(path) else pure.with_suffix("")
    return "" if str(page) == "." else str(page)


def page_url(base: str, path: str) -> str:
    """Return the address of a file's page on a website whose root is `base`."""
    page = quote(page_of(path))
    return f"{base.rstrip('/')}/{page}{'/' if page and is_index(path) else ''}"


def same_page(url: str) -> str:
    """Return what the addresses of one page have in common: how it ends, the scheme and capitals do not matter."""
    parts = urlsplit(url)
    path = _PAGE_SUFFIX.sub("", unquote(parts.path).rstrip("/")).removesuffix("/index")
    return unicodedata.normalize("NFC", f"{parts.netloc}{path}").casefold()
