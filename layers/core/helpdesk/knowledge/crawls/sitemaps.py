"""Lists of a site's pages: sitemaps (sitemaps.org) and llms.txt (llmstxt.org)."""

import html
import re
import zlib
from typing import Final

from helpdesk.outbound.fetcher import MAX_PAGE_BYTES
from helpdesk.platform import charsets
from helpdesk.platform.record import Record

MAX_SITEMAPS = 20
"""How many sitemaps a run reads, those that another one names included."""
MAX_LISTED = 5_000
"""How many addresses of one list are read."""

_LOCATION: Final = re.compile(
    r"<(?:\w+:)?loc\b[^<>]{0,200}>([^<]{1,2048}|<!\[CDATA\[[^\]]{1,2048}\]\]>)", re.IGNORECASE
)
_INDEX: Final = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_MARKDOWN_LINK: Final = re.compile(r"\]\(\s*<?([^\s()<>]{1,2048})")
_GZIP: Final = b"\x1f\x8b"


class Sitemap(Record):
    """What a sitemap lists: pages, or with `index` other sitemaps."""

    index: bool
    locations: tuple[str, ...]


def parse_sitemap(body: bytes, content_type: str = "") -> Sitemap:
    """Read a sitemap, also a compressed or damaged one, or a plain list of addresses.

    It is read as text and not as XML, so there are no entities to expand.
    """
    plain = _plain(body)
    label = charsets.named_in(content_type) or charsets.named_in_xml(plain)
    text = charsets.decoded(plain, charsets.codec_of(label))
    found = [html.unescape(_without_cdata(each)).strip() for each in _some(_LOCATION, text)]
    if not found and "<" not in text[:1_000]:
        found = [
            line.strip()
            for line in text.splitlines()[:MAX_LISTED]
            if line.startswith(("http://", "https://"))
        ]
    return Sitemap(_INDEX.search(text, 0, 10_000) is not None, tuple(found))


def parse_llms(body: bytes, content_type: str = "") -> tuple[str, ...]:
    """Return the links of an llms.txt, in their order."""
    return tuple(_some(_MARKDOWN_LINK, charsets.decoded_as(body, content_type)))


def markdown_links(text: str) -> list[str]:
    """Return the links of a Markdown text, in their order."""
    return _some(_MARKDOWN_LINK, text)


def _some(pattern: re.Pattern[str], text: str) -> list[str]:
    found: list[str] = []
    for match in pattern.finditer(text):
        found.append(match[1])
        if len(found) >= MAX_LISTED:
            break
    return found


def _without_cdata(text: str) -> str:
    text = text.strip()
    return text[9:-3] if text.startswith("<![CDATA[") else text


def _plain(body: bytes) -> bytes:
    """Return a list that is compressed by itself, up to the size of a page."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, MAX_PAGE_BYTES)
    except zlib.error:
        return b""
