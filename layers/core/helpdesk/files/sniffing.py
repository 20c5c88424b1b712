"""Detects files that a browser would run as a page, whatever type they declare.

The specification refuses HTML, XHTML, SVG and XSLT as attachments (Specification: Limits, Refused attachment types).
The declared type cannot be trusted, so three things are checked: the declared type, the extension of the name, and the
content. The content is checked as a browser's sniffer does it (WHATWG MIME Sniffing, "identifying a resource with an
unknown MIME type"), and then more strictly:

- Comments, declarations and processing instructions before the first element are skipped, in every encoding that a byte
  order mark or a pattern of zero bytes indicates.
- Any XML element can be XHTML or SVG by its namespace, and a document can write a namespace in several ways. So
  namespaces are searched for everywhere. Entities and stylesheets could hide one, so they are refused, too.
"""

import html
import re
import unicodedata
from typing import Final

SNIFFED_BYTES = 16_384
"""How much of a file's beginning is checked. A longer preamble before the first element is refused."""

REFUSED_TYPES: Final = frozenset(
    {
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xsl",
        "application/xslt+xml",
    }
)
_REFUSED_ENDINGS = (
    ".html",
    ".htm",
    ".shtml",
    ".xhtml",
    ".xht",
    ".svg",
    ".svgz",
    ".xsl",
    ".xslt",
    ".mht",
    ".mhtml",
)

# The elements that WHATWG's sniffer treats as HTML, and the root elements of the refused XML languages.
_ELEMENTS = (
    "html head script iframe h1 div font table a style title b body br p img svg math form input meta link object "
    "embed frameset base video audio template noscript section article main header nav button textarea marquee "
    "details center span ul ol li pre xsl:stylesheet xsl:transform stylesheet transform svg:svg html:html"
)
_MARKUP = re.compile(
    r"<(?:" + "|".join(re.escape(name) for name in _ELEMENTS.split()) + r")(?=[\s>/]|$)", re.IGNORECASE
)
_DOCTYPE = re.compile(r"<!doctype\s+(?:html|svg|svg:svg)\b", re.IGNORECASE)
_NAMESPACES = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xsl/transform",
)
# A comment, a processing instruction (an XML declaration, a stylesheet's link) or a document type.
_PREAMBLE = re.compile(
    r"\s+|<!--.*?-->|<\?.*?\?>|<!doctype[^>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL
)
# How a document starts; "<3", "< 5", "<-" and "<=" do not match. XML names may start with any letter.
_DOCUMENT = re.compile(r"\s*<(?:[a-z_:!?]|[^\x00-\x7f])", re.IGNORECASE)
_STYLESHEET = re.compile(r"<\?xml-stylesheet\s", re.IGNORECASE)
_TRAILING = re.compile(r"[.\s]+$")
_INVISIBLE = {"Cc", "Cf"}  # control and format characters
_GZIP = b"\x1f\x8b"


def essence(media_type: str) -> str:
    """Return a media type in lower case and without its parameters."""
    return media_type.partition(";")[0].strip().lower()


def runs_in_a_browser(name: str, media_type: str, beginning: bytes) -> bool:
    """Return whether a file by its name, declared type or content is HTML, XHTML, SVG or XSLT.

    `beginning` is the first SNIFFED_BYTES of the content.
    """
    if essence(media_type) in REFUSED_TYPES or _ending(name).endswith(_REFUSED_ENDINGS):
        return True
    return any(_is_markup(text) for text in _readings(beginning[:SNIFFED_BYTES]))


def _ending(name: str) -> str:
    """Return a name in lower case, without invisible characters and what file systems strip from its end."""
    seen = "".join(letter for letter in name if unicodedata.category(letter) not in _INVISIBLE)
    return _TRAILING.sub("", unicodedata.normalize("NFKC", seen)).lower()


def _readings(beginning: bytes) -> list[str]:
    """Return the bytes decoded in each plausible encoding."""
    if beginning.startswith(_GZIP):
        return []  # browsers do not decompress a response without a content-encoding
    readings = [beginning.removeprefix(b"\xef\xbb\xbf").decode("latin-1")]
    for encoding, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
        bare = beginning.removeprefix(mark)
        if bare is not beginning or bare[:64].count(0) >= min(len(bare), 64) // 3 > 0:
            readings.append(bare[: len(bare) // 2 * 2].decode(encoding, "replace"))
    return readings


def _is_markup(text: str) -> bool:
    text = text.replace("\0", "")
    if not _DOCUMENT.match(text):
        return False
    if _DOCTYPE.search(text) or _STYLESHEET.search(text):
        return True
    if "<!entity" in text.lower().partition("<!doctype")[2]:
        return True
    written_out = html.unescape(text).lower()
    if any(namespace in written_out for namespace in _NAMESPACES):
        return True
    position = 0
    while match := _PREAMBLE.match(text, position):
        position = match.end()
    rest = text[position:]
    if _MARKUP.match(rest):
        return True
    # A preamble longer than the checked beginning hides what follows.
    return rest.startswith(("<!", "<?")) and position + len(rest) >= SNIFFED_BYTES // 2
