"""Decides whether a file is HTML, XHTML, SVG or XSLT, which no message may attach.

The specification lists five media types (Specification: Limits, Refused attachment types). A file counts as one of them
by its declared type. Its content counts, too, unless the declared type is text:

- Text (`text/plain`, `text/markdown`, `text/csv`, …) is what it says, whatever it contains.
- XML (`application/xml`, `text/xml`, `…+xml`) is what it says, unless its root element is in the namespace of XHTML,
  SVG or XSLT.
- Any other type, or none, says nothing about the content. The content is HTML if a browser would take it for HTML
  (WHATWG MIME Sniffing, "identifying a resource with an unknown MIME type"), or if its first element is one of HTML's
  or `svg`; it is XML by its root element.

The file's name does not count: a text file about `index.html` is still text, and browsers go by the declared type.
"""

import codecs
import re

from helpdesk.conversations.files import xml_root
from helpdesk.conversations.files.media_types import REFUSED_TYPES, SNIFFED_BYTES, essence
from helpdesk.conversations.files.xml_root import MAX_SKIPPED_PARTS, Root, TooLong, Unfinished

_REFUSED_NAMESPACES = frozenset(
    {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/XSL/Transform",
    }
)
_XML_TYPES = frozenset({"application/xml", "text/xml"})

# The elements by which a browser recognizes HTML. They count even if the element is also XML of another namespace.
_SNIFFED_ELEMENT = re.compile("html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p")
# Others with which a page can begin. XML that declares itself, or has a namespace of its own, can use their names.
_OTHER_ELEMENT = re.compile(
    "img|svg|math|form|input|meta|link|object|embed|frameset|base|video|audio|template|noscript|section|article|main"
    "|header|nav|button|textarea|marquee|details|center|span|ul|ol|li|pre"
    "|svg:svg|html:html|xsl:stylesheet|xsl:transform"
)
_ROOTS_BY_NAME = frozenset({"html", "svg"})
_ASCII_SPACE = " \t\r\n\v\f"
_OPENS = re.compile(r"\s*(?:<|\Z)", re.ASCII)
_DOCTYPE = re.compile(r"<!doctype\s++(?:html|svg)\b", re.IGNORECASE)
_TAG = re.compile(r"<([a-z][^\s>/]*+)([\s>/])?", re.IGNORECASE)
# A comment, or what a browser skips like one. A comment also ends by `--!>`, and at once by `<!-->`.
_SKIPPED = re.compile(r"<!---?>|<(?!!--)[!?/][^>]*+>")
_COMMENT_END = re.compile(r"--!?>")
# Every byte outside ASCII stands for a letter, in a text of unknown encoding.
_ASCII = bytes(range(128)) + b"x" * 128


def is_refused(media_type: str, content: bytes, *, complete: bool) -> bool | None:
    """Return whether a file of a declared type and content is one of the five refused types.

    `content` is the file's beginning, or with `complete` the whole file. None means that the beginning does not decide:
    ask again with the whole file. The time is linear in the length of the content.
    """
    kind = essence(media_type)
    if kind in REFUSED_TYPES:
        return True
    is_xml = kind in _XML_TYPES or kind.endswith("+xml")
    if kind.startswith("text/") and not is_xml:
        return False
    verdicts = [_is_markup(text, is_xml=is_xml) for text in _readings(content, complete=complete)]
    if True in verdicts:
        return True
    return None if None in verdicts and not complete else False


def _readings(content: bytes, *, complete: bool) -> list[str]:
    """Return content that can be markup as text, in each plausible encoding. Zero bytes between ASCII are skipped."""
    readings = []
    # Only a beginning of markup or of white space is decoded further: a picture is not.
    bare = content.removeprefix(codecs.BOM_UTF8).translate(None, b"\0")
    if _OPENS.match(bare[:SNIFFED_BYTES].decode("latin-1")):
        readings.append(_ascii_superset(bare, complete=complete))
    for encoding, mark in (("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)):
        bare = content.removeprefix(mark)
        if bare is content and bare[:64].count(0) < max(min(len(bare), 64) // 3, 1):
            continue
        bare = bare[: len(bare) // 2 * 2]
        if _OPENS.match(bare[:SNIFFED_BYTES].decode(encoding, "replace")):
            readings.append(bare.decode(encoding, "replace"))
    return readings


def _ascii_superset(content: bytes, *, complete: bool) -> str:
    """Return bytes as text: UTF-8, or else an encoding of which only the ASCII characters are known."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(content, final=complete)
    except UnicodeDecodeError:
        return content.translate(_ASCII).decode("ascii")


def _is_markup(text: str, *, is_xml: bool) -> bool | None:
    """Return whether text is of a refused type; None if the text ends before that shows."""
    root: Root | None = None
    is_unfinished = False
    try:
        root = xml_root.of(text)
        if root is not None and root.namespace in _REFUSED_NAMESPACES:
            return True
    except Unfinished:
        is_unfinished = True
    except TooLong:
        return True
    if is_xml:
        return None if is_unfinished else False
    # A parser of HTML ends comments and declarations elsewhere than one of XML, so both decide.
    try:
        return _is_html(text, root) or (None if is_unfinished else False)
    except Unfinished:
        return None
    except TooLong:
        return True


def _is_html(text: str, root: Root | None) -> bool:
    """Return whether text of an unknown type is HTML, or SVG without its namespace. Raises Unfinished, TooLong."""
    name = _first_html_element(text) or ""
    is_sniffed = _SNIFFED_ELEMENT.fullmatch(name) is not None
    if root is not None:
        declared = text.lstrip(_ASCII_SPACE).startswith("<?xml")
        if declared or (root.namespace and not is_sniffed):
            return not root.namespace and root.name in _ROOTS_BY_NAME
    return is_sniffed or _OTHER_ELEMENT.fullmatch(name) is not None


def _first_html_element(text: str) -> str | None:
    """Return the name of the first element as a browser reads HTML, in lower case; None if text comes first.

    A document type of HTML or SVG counts as that element. Raises Unfinished, TooLong.
    """
    position = 0
    for _ in range(MAX_SKIPPED_PARTS):
        position = xml_root.after_space(text, position)
        if _DOCTYPE.match(text, position):
            return "html"
        if (tag := _TAG.match(text, position)) and tag[2]:
            return tag[1].lower()
        skipped = _SKIPPED.match(text, position)
        if skipped is None and text.startswith("<!--", position):
            skipped = _COMMENT_END.search(text, position + 4)
        if skipped:
            position = skipped.end()
        elif tag or text.startswith(("<!", "<?", "</"), position) or xml_root.is_cut(text, position):
            raise Unfinished
        else:
            return None
    raise TooLong
