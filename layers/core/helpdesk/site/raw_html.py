"""HTML that a document was written with, in good order, before it is cleaned.

A browser repairs HTML as the standard says, and so does the cleaner. For tags that are left open that can cost the
square of the text: each paragraph opens them again, and each closing tag looks through all that is open. So what is
open ends with what is around it, nothing is nested deeper than MAX_DEPTH, and what is left to repair is little.
Nothing is cleaned here: nh3 has the last word on the result.

Each step goes on from where the last one ended. html.parser looks through the rest of the text for each tag that never
ends, in Python before 3.13.6.
"""

import re
from collections.abc import Collection, Mapping
from html import escape, unescape

MAX_DEPTH = 64
"""Elements in one another. A tag below that is left out; its text stays."""

WITHOUT_CONTENT = frozenset("iframe math noscript script style svg template textarea title".split())  # noqa: SIM905
"""Elements that are removed with what is in them."""

_INLINE = frozenset(
    "a abbr b cite code del em i ins kbd mark q s samp small span strong sub sup var".split()  # noqa: SIM905
)
_VOID = frozenset({"br", "col", "hr", "img"})
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


def in_order(html: str, tags: Collection[str], attributes: Collection[str]) -> str:
    """Return HTML with these tags and attributes, each element ended within what is around it."""
    writer = _Writer(tags, attributes)
    _read(html, writer)
    return writer.ended()


def _read(html: str, writer: "_Writer") -> None:
    """Write what HTML consists of. What begins and never ends takes the rest with it, as in a browser."""
    place: int | None = 0
    while place is not None:
        begin = html.find("<", place)
        writer.text(html[place:] if begin < 0 else html[place:begin])
        if begin < 0:
            return
        following = html[begin + 1 : begin + 3]
        if _is_letter(following):
            place = _read_begin(html, begin + 1, writer)
        elif following[:1] == "/" and _is_letter(following[1:]):
            writer.end(_name_at(html, begin + 2))
            place = _behind(">", html, begin)
        elif following[:1] in {"!", "?", "/"}:
            is_comment = html.startswith("<!--", begin) and not html.startswith(("<!-->", "<!--->"), begin)
            place = _behind("-->", html, begin + 4) if is_comment else _behind(">", html, begin)
        else:
            writer.text("<")
            place = begin + 1


def _read_begin(html: str, place: int, writer: "_Writer") -> int | None:
    """Write an element's beginning; return the place behind it, None if it never ends."""
    name = _name_at(html, place)
    attributes: dict[str, str] = {}
    after = _attributes(html, place + len(name), attributes)
    if after is None:
        return None
    writer.begin(name, attributes)
    if name in _TEXT_UNTIL_ITS_END:
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, after)
        return end.start() if end else None
    return after


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
        if tag not in _VOID:
            self._open.append(tag)

    def end(self, tag: str) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            name = self._open[place]
            if name == tag:
                self._end_from(place)
                return
            # What is open around a block or a cell is not ended from within.
            if (tag in _INLINE and name not in _INLINE) or (name in _CELLS and tag not in _AROUND_CELLS):
                return

    def _make_room(self, tag: str) -> bool:
        """End what cannot be around a tag; return whether it can stand there then."""
        if tag in _BELOW:
            return self._end_until(_BELOW[tag])
        if self._open and self._open[-1] in _AROUND_CELLS:
            return False
        if tag == "a":
            return self._end_link()
        if tag in _ENDED_BY_NEXT:
            self._end_last(*_ENDED_BY_NEXT[tag])
        if tag not in _INLINE and tag not in {"br", "img"}:
            self._end_last({"p"}, {"table"} | _CELLS)
        return True

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
            if not _INLINE.issuperset(self._open[place:]):
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
