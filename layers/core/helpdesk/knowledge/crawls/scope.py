"""Which addresses belong to a crawl, and which of them are the same page.

A page has many spellings: with a fragment, a trailing slash, `index.html`, parameters that only count visits, `www.`,
and `.md` where a site offers its pages as Markdown. `page_key` is equal for all of them.
"""

import fnmatch
import posixpath
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

from helpdesk.outbound.errors import MAX_URL_CHARACTERS
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record

MAX_SEGMENTS = 20
MAX_REPEATS = 3
"""How often a path may have the same segment. More means that relative links lead ever deeper."""

_TRACKING: Final = re.compile(
    r"utm_.*|gclid|gclsrc|dclid|fbclid|msclkid|yclid|igshid|twclid|ttclid|mc_[ce]id|_hs(enc|mi)|_ga|_gl"
    r"|phpsessid|jsessionid|sid|sessionid|session_id",
    re.IGNORECASE,
)
_SESSION_IN_PATH: Final = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/]*", re.IGNORECASE)
_PATH_SAFE: Final = "/%:@!$&'()*+,;=~-._"
_ESCAPE: Final = re.compile(r"%[0-9a-fA-F]{2}")
_NO_PAGES: Final = re.compile(
    r"\.(7z|apk|avi|bmp|bz2|css|csv|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|m?js|json|m4[av]|mkv|mov|mp[34g]"
    r"|mpeg|msi|od[pst]|og[gv]|otf|pdf|png|pptx?|ps|rar|rpm|svg|swf|t?gz|tar|tiff?|ttf|wasm|wav|web[mp]|whl|wmv|woff2?"
    r"|xlsx?|xml|xz|zip)",
    re.IGNORECASE,
)


class Scope(Record):
    """The part of a website that a crawl reads.

    start            the address that it begins at
    include, exclude globs on path and query, in which `*` stands for any characters and `?` for one
    """

    start: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @cached_property
    def prefix(self) -> str:
        """The path that every page begins with, without a slash at its end; that of a file's folder."""
        path = urlsplit(self.start).path.rstrip("/")
        return posixpath.dirname(path).rstrip("/") if "." in posixpath.basename(path) else path

    @cached_property
    def _includes(self) -> re.Pattern[str] | None:
        return _globs(self.include)

    @cached_property
    def _excludes(self) -> re.Pattern[str] | None:
        return _globs(self.exclude)

    def resolve(self, link: str, base: str | None = None) -> str | None:
        """Return a link of the page `base` as an address of this site; None if it leads elsewhere or to no page.

        An address is absolute and without fragment and tracking parameters. Its scheme is the start's.
        """
        try:
            parts = urlsplit(urljoin(base or self.start, link.strip()))
            start = urlsplit(self.start)
            if (
                parts.scheme not in {"http", "https"}
                or parts.username is not None
                or parts.password is not None
            ):
                return None
            if _site(parts.hostname, parts.port, parts.scheme) != _site(
                start.hostname, start.port, start.scheme
            ):
                return None
            netloc = _netloc(parts.hostname or "", start.port)
            path = _SESSION_IN_PATH.sub("", _escaped(_rooted(parts.path)))
            address = urlunsplit((start.scheme, netloc, path, _query(parts.query), ""))
        except ValueError:
            return None
        segments = [segment for segment in path.split("/") if segment]
        if len(address) > MAX_URL_CHARACTERS or len(segments) > MAX_SEGMENTS:
            return None
        if any(segments.count(segment) > MAX_REPEATS for segment in set(segments)):
            return None
        return address

    def covers(self, address: str) -> bool:
        """Whether the crawl reads this address of the site: by prefix, then include, then exclude."""
        parts = urlsplit(address)
        path = parts.path or "/"
        if self.prefix and path != self.prefix and not path.startswith(f"{self.prefix}/"):
            return False
        if _NO_PAGES.fullmatch(posixpath.splitext(path)[1]):
            return False
        target = f"{path}?{parts.query}" if parts.query else path
        if self._includes is not None and not self._includes.fullmatch(target):
            return False
        return self._excludes is None or not self._excludes.fullmatch(target)


def page_key(address: str) -> str:
    """Return what identifies the page at an address, in whatever spelling, as 64 hex characters."""
    parts = urlsplit(address)
    path = re.sub(r"/+", "/", parts.path)
    path = re.sub(r"/index\.html?(\.md)?$", "/", path).removesuffix(".md").rstrip("/")
    host = (parts.hostname or "").removeprefix("www.")
    return sha256_hex(f"{host}:{parts.port or ''}{path}?{parts.query}")


def host_of(address: str) -> str:
    """Return the host that requests to an address are paced by: without `www.`, with a port if the address has one."""
    parts = urlsplit(address)
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}:{parts.port}" if parts.port else host


def markdown_address(address: str) -> str | None:
    """Return where sites that offer Markdown have it for the page at an address; None for a start page."""
    parts = urlsplit(address)
    path = re.sub(r"/index\.html?$", "", parts.path).rstrip("/")
    if not path or path.endswith(".md"):
        return None
    return urlunsplit((parts.scheme, parts.netloc, f"{path.removesuffix('.html')}.md", "", ""))


def _rooted(path: str) -> str:
    """Return a path with a leading slash."""
    return path if path.startswith("/") else f"/{path}"


def _globs(patterns: Sequence[str]) -> re.Pattern[str] | None:
    # fnmatch's expressions never backtrack into what a star has matched. A bracket stands for itself here.
    if not patterns:
        return None
    return re.compile("|".join(fnmatch.translate(pattern.replace("[", "[[]")) for pattern in patterns))


def _site(host: str | None, port: int | None, scheme: str) -> tuple[str, int | None]:
    default = {"http": 80, "https": 443}[scheme]
    return (host or "").removeprefix("www."), None if port in {None, default} else port


def _netloc(host: str, port: int | None) -> str:
    host = f"[{host}]" if ":" in host else host.encode("idna").decode() if not host.isascii() else host
    return f"{host}:{port}" if port else host


def _escaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[0].upper(), quote(text, safe=_PATH_SAFE)).replace("%25%25", "%25")


def _query(query: str) -> str:
    pairs = [
        pair
        for pair in parse_qsl(query, keep_blank_values=True, max_num_fields=50)
        if not _TRACKING.fullmatch(pair[0])
    ]
    return urlencode(sorted(pairs))
