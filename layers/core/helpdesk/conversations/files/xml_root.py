"""The root element of an XML document, with its namespace.

A namespace can be written in many ways: with a prefix, with character references, by an entity, or as the default of an
attribute in the document type. So the document type and the root's start tag are parsed by expat, as in a browser. The
rest of the document is never parsed, and comments and processing instructions before the root are only skipped. What is
parsed is bounded: so no entity can expand beyond the 8 MiB that expat allows to a small document (its amplification
limit, since expat 2.4.1).
"""

import re
from contextlib import suppress
from xml.parsers import expat

from helpdesk.platform.record import Record

MAX_PARSED_CHARACTERS = 65_536
"""The maximum length of a document type, and of a root's start tag."""
MAX_SKIPPED_PARTS = 10_000
"""The maximum number of comments and processing instructions before the root."""

_SEPARATOR = " "  # no name contains it
_SPACE = re.compile(r"\s*", re.ASCII)
_DOCTYPE = re.compile(r"<!doctype\b", re.IGNORECASE)
_ELEMENT = re.compile(r"<[A-Za-z_:\x80-\U0010ffff]")
# What a document type and a start tag consist of, as far as it matters for where they end.
_IN_DOCTYPE = re.compile(r"<!--|<\?|[\"'\[\]>]")
_IN_TAG = re.compile(r"[\"'>]")
_CLOSED_BY = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}


class Root(Record):
    """A root element: its name without the prefix, and its namespace, empty if it has none."""

    namespace: str
    name: str


class Unfinished(Exception):
    """The text ends before its first element begins, or within its start tag."""


class TooLong(Exception):
    """The part to parse is longer than MAX_PARSED_CHARACTERS, or more than MAX_SKIPPED_PARTS come before the root."""


def of(text: str) -> Root | None:
    """Return the root of an XML document, given its text or the beginning of it; None if it is not XML.

    Raises Unfinished, TooLong.
    """
    doctype = ""
    position = 0
    for _ in range(MAX_SKIPPED_PARTS):
        position = after_space(text, position)
        if text.startswith("<!--", position):
            position = _after("-->", text, position + 4)
        elif text.startswith("<?", position):
            position = _after("?>", text, position + 2)
        elif not doctype and _DOCTYPE.match(text, position):
            end = _end_of_doctype(text, position)
            doctype, position = text[position:end], end
        elif _ELEMENT.match(text, position):
            return _parsed(doctype + text[position : _end_of_tag(text, position)])
        elif is_cut(text, position):
            raise Unfinished
        else:
            return None
    raise TooLong


def after_space(text: str, position: int) -> int:
    """Return the position behind the white space at a position."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def is_cut(text: str, position: int) -> bool:
    """Return whether so little text is left that what begins there can be the beginning of a longer mark."""
    return len(text) - position < len("<!DOCTYPE ")


def _parsed(document: str) -> Root | None:
    found: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        found.append(name)

    parser = expat.ParserCreate("utf-8", namespace_separator=_SEPARATOR)
    parser.StartElementHandler = start
    # Parameter entities of the document itself are read; files that it names are not.
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.ExternalEntityRefHandler = lambda *_: 1
    with suppress(expat.ExpatError):
        parser.Parse(document.encode())
    if not found:
        return None
    namespace, _, name = found[0].rpartition(_SEPARATOR)
    return Root(namespace, name)


def _end_of_doctype(text: str, start: int) -> int:
    """Return the position behind a document type with its internal subset. Raises Unfinished, TooLong."""
    inside = False
    position = start + len("<!")
    while True:
        part, position = _next_part(_IN_DOCTYPE, text, position, start)
        if part == ">" and not inside:
            return position
        if part in {"[", "]"}:
            inside = part == "["


def _end_of_tag(text: str, start: int) -> int:
    """Return the position behind a start tag. Raises Unfinished, TooLong."""
    part, position = "", start
    while part != ">":
        part, position = _next_part(_IN_TAG, text, position, start)
    return position


def _next_part(parts: re.Pattern[str], text: str, position: int, start: int) -> tuple[str, int]:
    """Return what opens the next part, and the position behind that part. Raises Unfinished, TooLong."""
    limit = start + MAX_PARSED_CHARACTERS
    match = parts.search(text, position, limit)
    closed = _CLOSED_BY.get(match[0]) if match else None
    end = text.find(closed, match.end(), limit) if match and closed else 0
    if match is None or end < 0:
        raise TooLong if limit < len(text) else Unfinished
    return match[0], end + len(closed) if closed else match.end()


def _after(mark: str, text: str, position: int) -> int:
    """Return the position behind the next mark. Raises Unfinished."""
    found = text.find(mark, position)
    if found < 0:
        raise Unfinished
    return found + len(mark)
