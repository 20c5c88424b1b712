"""robots.txt: what a site lets crawlers read, and how fast (RFC 9309)."""

import zlib
from typing import Final

from protego import Protego

from helpdesk.platform import charsets

USER_AGENT = "Helpdesk-Crawler/1.0 (reads pages into a knowledge base)"
MAX_BYTES = 500 * 1024
"""How much of the file counts, as RFC 9309 asks for at least."""
MAX_STORED_BYTES = 300_000  # an item may have 400 KB
MIN_INTERVAL_MS = 1_000
MAX_INTERVAL_MS = 10_000
MAX_SITEMAPS = 10

_PRODUCT: Final = "Helpdesk-Crawler"
_LESS: Final = 200_000


class Robots:
    """The rules of one site."""

    def __init__(self, text: str) -> None:
        """Read the rules from the file's text; an empty one allows everything."""
        self._rules = Protego.parse(text)
        self.sitemaps: tuple[str, ...] = tuple(dict.fromkeys(self._rules.sitemaps))[:MAX_SITEMAPS]
        """The addresses of sitemaps that it names."""
        delay = self._rules.crawl_delay(_PRODUCT) or 0
        self.interval_ms = int(min(max(delay * 1_000, MIN_INTERVAL_MS), MAX_INTERVAL_MS))
        """How long to wait between two requests: a second, or up to 10 if the file asks for it."""

    def allows(self, address: str) -> bool:
        """Whether the crawler may request an address."""
        return bool(self._rules.can_fetch(address, _PRODUCT))


def packed(body: bytes) -> bytes:
    """Return as much of the file as counts, compressed for an item."""
    stored = zlib.compress(body[:MAX_BYTES])
    return stored if len(stored) <= MAX_STORED_BYTES else zlib.compress(body[:_LESS])


def unpacked(stored: bytes) -> Robots:
    """Return the rules of a file that `packed` compressed."""
    return Robots(charsets.decoded(zlib.decompress(stored)).replace("\0", ""))
