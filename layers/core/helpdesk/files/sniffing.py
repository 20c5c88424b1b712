"""Whether a file is something that a browser would run as a page, whatever it calls itself. No AWS.

The specification refuses HTML, XHTML, SVG and XSLT as attachments (Specification: Limits, Refused attachment types).
A type is only what the uploader says, so three things are asked: the declared type, the name's ending, and the
content, read as a browser's sniffer reads it (WHATWG MIME Sniffing, "identifying a resource with an unknown MIME
type") and then more strictly: comments, declarations and processing instructions before the first element are
passed over, in each encoding that a byte order mark or a pattern of zero bytes gives away. In XML any element can be
XHTML or SVG, by a namespace that the document can write in several ways, so that namespaces are looked for everywhere,
and what could put one where it cannot be seen (an entity, a stylesheet) is refused as such.
"""

import html
import re
import unicodedata
from typing import Final

SNIFFED_BYTES = 16_384
"""How much of a file's beginning is looked at. A longer preamble before the first element is refused as such."""

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

# What WHATWG's sniffer takes for HTML at the start of a resource, and the roots of the XML languages refused.
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
# How a document begins, which "<3", "< 5", "<-" and "<=" do not. Names in XML may begin with any letter.
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
    """Return a name in lower case without what is not seen of it and what file systems drop at its end."""
    seen = "".join(letter for letter in name if unicodedata.category(letter) not in _INVISIBLE)
    return _TRAILING.sub("", unicodedata.normalize("NFKC", seen)).lower()


def _readings(beginning: bytes) -> list[str]:
    """Return the texts that a reader could take the bytes for."""
    if beginning.startswith(_GZIP):
        return []  # nobody unpacks what is served without a content-encoding
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
    # A preamble longer than what is looked at hides what follows.
    return rest.startswith(("<!", "<?")) and position + len(rest) >= SNIFFED_BYTES // 2
