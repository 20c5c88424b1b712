"""HTML that a document was written with, in good order, before it is cleaned.

A browser repairs HTML as the standard says, and so does the cleaner. For tags that are left open that can cost the
square of the text: each paragraph opens them again, and each closing tag looks through all that is open. So what is
open ends with what is around it, nothing is nested deeper than MAX_DEPTH, and what is left to repair is little.
Nothing is cleaned here: nh3 has the last word on the result.

`html_in_markdown` decides before which tags are HTML at all. Each step goes on from where the last one ended.
html.parser looks through the rest of the text for each tag that never ends, in Python before 3.13.6.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from html import escape, unescape
from typing import NamedTuple

MAX_DEPTH = 64
"""Elements in one another. A tag below that is left out; its text stays."""

WITHOUT_CONTENT = frozenset("iframe math noscript script style svg template textarea title".split())  # noqa: SIM905
"""Elements that are removed with what is in them."""

WITHIN_TEXT = frozenset(
    """
    a abbr b bdi bdo cite code del dfn em i ins kbd mark picture q rp rt ruby s samp small span strike strong sub sup
    time tt u var
    """.split()  # noqa: SIM905
)
"""Elements within a sentence: they end with its paragraph, and end nothing."""

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
"""Elements without an end."""

_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_AROUND_CELLS = frozenset({"table", "colgroup", "tr"}) | _SECTIONS
_BELOW = {
    "caption": {"table"},
    "col": {"table", "colgroup"},
    "colgroup": {"table"},
    "tbody": {"table"},
    "tfoot": {"table"},
    "thead": {"table"},
    "td": {"table", "tr"} | _SECTIONS,
    "th": {"table", "tr"} | _SECTIONS,
    "tr": {"table"} | _SECTIONS,
}
"""The parts of a table, and what each of them can stand in."""

SHOWN_AS = {"h1": "h2"}
"""Elements that are shown as others: the first level of headings is that of the page's title."""

_CELLS = frozenset({"caption", "td", "th"})
_ENDED_BY_NEXT = {
    "li": ({"li"}, {"ol", "ul"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
}
"""What ends where the next of its kind begins, and what is around all of them."""

_TEXT_UNTIL_ITS_END = frozenset({"iframe", "script", "style", "textarea", "title"})
_NAME = re.compile(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(r"[\s/]*([^\s/>=]+)\s*(=?)\s*")
_UNQUOTED = re.compile(r"[^\s>]*")


class Kind(Enum):
    """What a piece of HTML is. What is GONE is a comment, a declaration or an instruction."""

    TEXT = 1
    BEGIN = 2
    END = 3
    GONE = 4


class Piece(NamedTuple):
    """A piece of HTML. Attributes are as they are written; `is_ended` says that a tag ends itself (`<img />`)."""

    kind: Kind
    source: str
    name: str = ""
    attributes: Mapping[str, str] = {}
    is_ended: bool = False


def in_order(html: str, tags: Collection[str], attributes: Collection[str]) -> str:
    """Return HTML with these tags and attributes, each element ended within what is around it."""
    writer = _Writer(tags, attributes)
    for piece in pieces(html):
        if piece.kind is Kind.TEXT:
            writer.text(piece.source)
        elif piece.kind is Kind.BEGIN:
            writer.begin(SHOWN_AS.get(piece.name, piece.name), piece.attributes)
        elif piece.kind is Kind.END:
            writer.end(SHOWN_AS.get(piece.name, piece.name))
    return writer.ended()


def pieces(html: str) -> Iterator[Piece]:
    """Yield what HTML consists of. Where something begins that never ends, the rest is text."""
    place = 0
    endless: set[str] = set()
    while (begin := html.find("<", place)) >= 0:
        if begin > place:
            yield Piece(Kind.TEXT, html[place:begin])
        place = begin
        piece = _piece_at(html, begin)
        if piece is None:
            break
        yield piece
        place += len(piece.source)
        if piece.kind is not Kind.BEGIN or piece.is_ended or piece.name in endless:
            continue
        if piece.name in _TEXT_UNTIL_ITS_END:
            end = re.compile(rf"</{piece.name}(?=[\s/>])", re.IGNORECASE).search(html, place)
            if end is None:
                endless.add(piece.name)
            elif end.start() > place:
                yield Piece(Kind.TEXT, html[place : end.start()])
                place = end.start()
    if place < len(html):
        yield Piece(Kind.TEXT, html[place:])


def _piece_at(html: str, begin: int) -> Piece | None:
    """Return what begins with this `<`; None if it never ends."""
    following = html[begin + 1 : begin + 3]
    if _is_letter(following):
        name = _name_at(html, begin + 1)
        attributes: dict[str, str] = {}
        after = _attributes(html, begin + 1 + len(name), attributes)
        if after is None:
            return None
        return Piece(Kind.BEGIN, html[begin:after], name, attributes, html[after - 2] == "/")
    if following[:1] == "/" and _is_letter(following[1:]):
        after = _behind(">", html, begin)
        return None if after is None else Piece(Kind.END, html[begin:after], _name_at(html, begin + 2))
    if following[:1] in {"!", "?", "/"}:
        is_comment = html.startswith("<!--", begin) and not html.startswith(("<!-->", "<!--->"), begin)
        after = _behind("-->", html, begin + 4) if is_comment else _behind(">", html, begin)
        return None if after is None else Piece(Kind.GONE, html[begin:after])
    return Piece(Kind.TEXT, "<")


def _behind(mark: str, html: str, place: int) -> int | None:
    found = html.find(mark, place)
    return None if found < 0 else found + len(mark)


def _is_letter(text: str) -> bool:
    return text[:1].isascii() and text[:1].isalpha()


def _name_at(html: str, place: int) -> str:
    found = _NAME.match(html, place)
    return found[0].lower() if found else ""


def _attributes(html: str, place: int, found: dict[str, str]) -> int | None:
    """Read the attributes of a tag; return the place behind it, None if it never ends."""
    while one := _ATTRIBUTE.match(html, place):
        value, place = "", one.end()
        if one[2]:
            quote = html[place : place + 1]
            if quote in {'"', "'"}:
                end = html.find(quote, place + 1)
                if end < 0:
                    return None
                value, place = html[place + 1 : end], end + 1
            elif unquoted := _UNQUOTED.match(html, place):
                value, place = unquoted[0], unquoted.end()
        found.setdefault(one[1].lower(), value)
    return _behind(">", html, place)


class _Writer:
    """Writes tags as they come, and ends what they leave open."""

    def __init__(self, tags: Collection[str], attributes: Collection[str]) -> None:
        self._tags = tags
        self._attributes = attributes
        self._open: list[str] = []
        self._is_left_out = False
        self._parts: list[str] = []

    def ended(self) -> str:
        self._end_from(0)
        return "".join(self._parts)

    def text(self, source: str) -> None:
        if not self._is_left_out:
            self._parts.append(source.replace("<", "&lt;").replace(">", "&gt;"))

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in WITHOUT_CONTENT:
            if not self._is_left_out:
                self._open.append(tag)
                self._is_left_out = True
            return
        if tag not in self._tags or not self._make_room(tag):
            return
        if self._is_left_out or len(self._open) >= MAX_DEPTH:
            return
        sent = "".join(
            f' {name}="{escape(unescape(value))}"'
            for name, value in attributes.items()
            if name in self._attributes
        )
        self._parts.append(f"<{tag}{sent}>")
        if tag not in VOID:
            self._open.append(tag)

    def end(self, tag: str) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            name = self._open[place]
            if name == tag:
                self._end_from(place)
                return
            # What is open around a block or a cell is not ended from within.
            if (tag in WITHIN_TEXT and name not in WITHIN_TEXT) or (
                name in _CELLS and tag not in _AROUND_CELLS
            ):
                return

    def _make_room(self, tag: str) -> bool:
        """End what cannot be around a tag; return whether it can stand there then."""
        if tag in _BELOW:
            return self._end_until(_BELOW[tag])
        is_block = tag not in WITHIN_TEXT and tag not in {"br", "img", "wbr"}
        if self._open and self._open[-1] in _AROUND_CELLS:
            if not is_block:
                return False
            self._end_table()
        if tag == "a":
            return self._end_link()
        if tag in _ENDED_BY_NEXT:
            self._end_last(*_ENDED_BY_NEXT[tag])
        if is_block:
            self._end_last({"p"}, {"table"} | _CELLS)
        return True

    def _end_table(self) -> None:
        """End a table in which something else than its parts begins, such as the next heading of the document."""
        place = len(self._open) - 1
        while self._open[place] != "table":
            place -= 1
        self._end_from(place)

    def _end_until(self, around: Collection[str]) -> bool:
        """End what is open within the nearest of these; False if there is none."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in around:
                self._end_from(place + 1)
                return True
            if self._open[place] == "table":
                return False
        return False

    def _end_last(self, wanted: Collection[str], around: Collection[str]) -> None:
        """End the last of these elements that is open, unless something around them began after it."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in around:
                return
            if self._open[place] in wanted:
                self._end_from(place)
                return

    def _end_link(self) -> bool:
        """End the link that is open, as no link can be in another; False if there are blocks in it."""
        if "a" in self._open:
            place = self._open.index("a")
            if not WITHIN_TEXT.issuperset(self._open[place:]):
                return False
            self._end_from(place)
        return True

    def _end_from(self, place: int) -> None:
        for name in reversed(self._open[place:]):
            if name in WITHOUT_CONTENT:
                self._is_left_out = False
            else:
                self._parts.append(f"</{name}>")
        del self._open[place:]
