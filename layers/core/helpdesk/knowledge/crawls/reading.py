"""Requests a page and returns what it is, whatever the site does (docs/guides/crawls.md, Outcomes)."""

import asyncio
import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final, Protocol, Self
from urllib.parse import urljoin

from helpdesk.knowledge.crawls.robots import USER_AGENT
from helpdesk.outbound.fetcher import Fetched, Fetcher
from helpdesk.platform import clock
from helpdesk.platform.isolation import Isolated
from helpdesk.platform.record import Record

ACCEPT_PAGE = "text/html, text/markdown;q=0.9"
ACCEPT_MARKDOWN = "text/markdown"
ACCEPT_LIST = "application/xml, text/xml, text/plain"
MAX_RETRY_AFTER_MS = 15 * 60_000
MAX_SECONDS = 5.0
"""How long reading one page may take."""

_LINK: Final = re.compile(r"<([^<>]{1,2000})>([^<]{0,500})")


class Web(Protocol):
    """Something that makes requests: the network, or a test's."""

    def get(self, url: str, accept: str) -> Fetched:
        """Request an address once."""


class Browser:
    """The network, for a worker that makes one request after another."""

    def __init__(self, *, allow_loopback: bool) -> None:
        self._fetcher = Fetcher(USER_AGENT, allow_loopback=allow_loopback)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.run(self._fetcher.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._fetcher.__aexit__(kind, error, trace))
        self._runner.close()

    def get(self, url: str, accept: str) -> Fetched:
        """Request an address once."""
        return self._runner.run(self._fetcher.get(url, accept))


class Page(Record):
    """What a page says.

    title, text        in Markdown; both can be empty
    links              absolute addresses, also of frames
    canonical          the address that the page calls its own; None if it names none
    alternate          where the page says that it is as Markdown
    refresh            where it sends its readers on to
    noindex            whether it asks not to be kept
    """

    title: str
    text: str
    links: tuple[str, ...]
    canonical: str | None
    alternate: str | None
    refresh: str | None
    noindex: bool


def kind_of(fetched: Fetched) -> str | None:
    """Return `html` or `markdown`, the kinds of pages that are read, or None."""
    kind = fetched.headers.get("content-type", "").partition(";")[0].strip().lower()
    return {"text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown"}.get(kind)


def redirect_of(fetched: Fetched, address: str) -> str | None:
    """Return where a response sends its reader on to, as an absolute address; None if it is no redirect."""
    if fetched.status not in {301, 302, 303, 307, 308}:
        return None
    try:
        return urljoin(address, fetched.headers.get("location", ""))
    except ValueError:
        return address


def retry_after_ms(fetched: Fetched) -> int:
    """Return how long a site asks to be left alone, in ms, up to 15 minutes."""
    text = fetched.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        wait = int(text) * 1_000
    else:
        try:
            wait = int(parsedate_to_datetime(text).timestamp() * 1_000) - clock.now_ms()
        except (ValueError, OverflowError):
            wait = 60_000
    return min(max(wait, 1_000), MAX_RETRY_AFTER_MS)


def reader(max_seconds: float = MAX_SECONDS) -> Isolated:
    """Return what reads pages: `extraction`, in a process of its own."""
    return Isolated("helpdesk.knowledge.crawls.extraction", max_seconds)


def read(reader: Isolated, fetched: Fetched, address: str) -> Page:
    """Return what a page of a readable kind says, its headers included. Raises Unreadable."""
    kind = kind_of(fetched) or "html"
    content_type = fetched.headers.get("content-type", "")
    found: dict[str, Any] = reader.call(f"read_{kind}", fetched.body, content_type, address)
    tags = fetched.headers.get("x-robots-tag", "").lower()
    related = _related(fetched.headers.get("link", ""))
    joined: Callable[[str | None], str | None] = lambda link: urljoin(address, link) if link else None  # noqa: E731
    return Page(
        title=found["title"],
        text=found["text"],
        links=tuple(found["links"]) if "nofollow" not in tags else (),
        canonical=found["canonical"] or joined(related.get("canonical")),
        alternate=found["alternate"] or joined(related.get("alternate")),
        refresh=found["refresh"],
        noindex=found["noindex"] or "noindex" in tags,
    )


def _related(header: str) -> dict[str, str]:
    """Return the canonical and the Markdown address that a Link header names."""
    found: dict[str, str] = {}
    for match in _LINK.finditer(header[:8_000]):
        parameters = match[2].lower()
        if re.search(r"rel\s*=\s*\"?[^\";]*canonical", parameters):
            found["canonical"] = match[1]
        elif re.search(r"rel\s*=\s*\"?[^\";]*alternate", parameters) and "text/markdown" in parameters:
            found["alternate"] = match[1]
    return found
