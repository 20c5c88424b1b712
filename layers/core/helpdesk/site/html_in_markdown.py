"""HTML in Markdown: what of it is HTML, and what is text that names a tag.

A browser repairs HTML in a way that can hide the rest of a document behind one tag: `Use the <textarea> of it.` So a
tag counts only where it can be meant, and is text elsewhere:

- In a sentence, tags that GitHub refuses are text (GitHub Flavored Markdown, section 6.11). An element that hides or
  folds its content ends in the same sentence, or its tag is text.
- In an HTML block, an element whose content is removed ends in the same block.
- Every other element ends in what is around it: the same list item, quotation, box, or the document. If it doesn't, it
  ends with its HTML block, and in a sentence it is text.
"""

import re
from collections.abc import Callable, Collection
from html import escape, unescape
from typing import TYPE_CHECKING

from helpdesk.site import raw_html
from helpdesk.site.raw_html import VOID, WITHIN_TEXT, WITHOUT_CONTENT, Kind, Piece

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_REFUSED = frozenset(
    "iframe noembed noframes plaintext script style textarea title xmp".split()  # noqa: SIM905
)
_FOLDED = frozenset({"details", "summary"})
_ENDED_BY_OTHERS = frozenset("caption colgroup p tbody td tfoot th thead tr".split())  # noqa: SIM905
_NO_CONTAINER = frozenset({"paragraph_open", "paragraph_close", "heading_open", "heading_close"})
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)[^<>]*?(/?)>")
_LITERAL = re.compile(r"<(script|style|textarea|pre)\b", re.IGNORECASE)
# What goes on behind an empty line: a comment, code as it is, or a script. One line that says something about a script
# isn't its beginning.
_LONG = re.compile(r"<!--|<pre\b|<(?:script|style)\b(?![^<>]*>(?:\s+\S|[,;:!?)]|\.(?:\s|$)))", re.IGNORECASE)


class _Tag:
    """A piece of HTML, and what becomes of it. `token` is that of one in a sentence; another belongs to a `block`."""

    def __init__(self, piece: Piece, *, token: "Token | None" = None, block: "_Block | None" = None) -> None:
        self.piece = piece
        self.token = token
        self.block = block
        self.is_text = False
        self.is_gone = False
        self.ends_with_block = False

    def write(self, take_id: Callable[[str], bool]) -> None:
        """Write it into its token."""
        if self.token is not None:
            self.token.type = "text" if self.is_text else "html_inline"
            self.token.content = self.piece.source if self.is_text else self.html(take_id)

    def html(self, take_id: Callable[[str], bool]) -> str:
        """Return it as HTML, with the id by which links lead to it if that is free."""
        if self.is_gone:
            return ""
        if self.is_text or self.piece.kind is Kind.TEXT:
            return self.piece.source.replace("<", "&lt;").replace(">", "&gt;")
        attributes = self.piece.attributes
        own = attributes.get("id") or (attributes.get("name") if self.piece.name == "a" else None)
        if own is None:
            return self.piece.source
        kept = {name: unescape(value) for name, value in attributes.items() if name not in {"id", "name"}}
        if take_id(unescape(own)):
            kept["id"] = unescape(own)
        return f"<{self.piece.name}{''.join(f' {name}="{escape(kept[name])}"' for name in kept)}>"


class _Block:
    """An HTML block."""

    def __init__(self, token: "Token") -> None:
        self.token = token
        self.tags = [_Tag(piece, block=self) for piece in raw_html.pieces(token.content)]

    def write(self, take_id: Callable[[str], bool]) -> None:
        """Write it into its token."""
        parts = [tag.html(take_id) for tag in self.tags]
        ends = [f"</{tag.piece.name}>" for tag in reversed(self.tags) if tag.ends_with_block]
        self.token.content = "".join([*parts, *ends])


def find_in(parser: "MarkdownIt") -> None:
    """Replace a parser's rule for HTML blocks by one that never takes what follows with it."""
    parser.block.ruler.at("html_block", _read_block, {"alt": ["paragraph", "reference", "blockquote"]})


def settle(tokens: "list[Token]", shown: Collection[str], take_id: Callable[[str], bool]) -> None:
    """Decide of each tag of a document whether it is HTML.

    `shown` are the elements that a page can have. `take_id` takes the id of an element, and returns whether it is free.
    """
    settling = _Settling(shown)
    for token in tokens:
        if token.type == "inline":
            settling.read_sentence(token)
        elif token.type == "html_block":
            settling.read_block(token)
        elif token.type not in _NO_CONTAINER:
            settling.enter_or_leave(token.nesting)
    settling.write(take_id)


class _Settling:
    """Reads tags in their order, and remembers what is open in each container around the present place."""

    def __init__(self, shown: Collection[str]) -> None:
        self._shown = shown
        self._containers: list[dict[str, list[_Tag]]] = [{}]
        self._read: list[_Tag | _Block] = []

    def read_sentence(self, token: "Token") -> None:
        tags = [
            _Tag(next(raw_html.pieces(child.content)), token=child)
            for child in token.children or ()
            if child.type == "html_inline"
        ]
        self._read += tags
        unended: dict[str, list[_Tag]] = {}
        for tag in tags:
            piece = tag.piece
            if piece.name in _REFUSED:
                tag.is_text = True
            elif piece.kind is Kind.BEGIN and piece.is_ended:
                tag.is_gone = piece.name in WITHOUT_CONTENT
            elif piece.kind is Kind.BEGIN and piece.name not in VOID:
                unended.setdefault(piece.name, []).append(tag)
            elif piece.kind is Kind.END and not _take_last(unended, piece.name):
                tag.is_gone = not self._end(piece.name)
        for name, still_open in unended.items():
            if name in _FOLDED or name in WITHOUT_CONTENT:
                for tag in still_open:
                    tag.is_text = True
            elif name not in WITHIN_TEXT:
                self._containers[-1].setdefault(name, []).extend(still_open)

    def read_block(self, token: "Token") -> None:
        block = _Block(token)
        self._read.append(block)
        hiding: dict[str, list[_Tag]] = {}
        for tag in block.tags:
            piece = tag.piece
            if piece.name in _REFUSED - WITHOUT_CONTENT:
                tag.is_text = True
            elif piece.kind is Kind.BEGIN and piece.name in WITHOUT_CONTENT:
                tag.is_gone = piece.is_ended
                if not piece.is_ended:
                    hiding.setdefault(piece.name, []).append(tag)
            elif (
                piece.kind is Kind.BEGIN
                and raw_html.SHOWN_AS.get(piece.name, piece.name) in self._shown
                and piece.name not in VOID
            ):
                self._containers[-1].setdefault(piece.name, []).append(tag)
            elif piece.kind is Kind.END:
                tag.is_gone = not (_take_last(hiding, piece.name) or self._end(piece.name))
        for name, tags in hiding.items():
            for tag in tags:
                tag.is_text = name in _REFUSED
                tag.is_gone = not tag.is_text

    def enter_or_leave(self, nesting: int) -> None:
        if nesting > 0:
            self._containers.append({})
        elif nesting < 0:
            self._leave()

    def write(self, take_id: Callable[[str], bool]) -> None:
        while self._containers:
            self._leave()
        for each in self._read:
            each.write(take_id)

    def _end(self, name: str) -> bool:
        """End the last of these elements that is open; return False if none is."""
        return any(_take_last(container, name) for container in reversed(self._containers))

    def _leave(self) -> None:
        for name, tags in self._containers.pop().items():
            for tag in tags:
                if tag.block is None or name == "details":
                    tag.is_text = True
                elif name not in _ENDED_BY_OTHERS:
                    tag.ends_with_block = True


def _take_last(unended: dict[str, list[_Tag]], name: str) -> bool:
    tags = unended.get(name)
    return bool(tags and tags.pop())


def _read_block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    """Read an HTML block as CommonMark says (section 4.6), but none that would hide what follows.

    What begins and never ends, such as a comment or a script, is no HTML block. A block that ends at an empty line ends
    earlier where all its elements have ended and Markdown follows: `</div>` and a list in the next line.
    """
    from markdown_it.rules_block.html_block import HTML_SEQUENCES  # noqa: PLC0415

    text = _line(state, start)
    if text[:1] != "<" or state.is_code_block(start):
        return False
    kind = next((each for each in HTML_SEQUENCES if each[0].search(text)), None)
    if kind is None:
        return False
    _, ending, ends_paragraph = kind
    literal = _LITERAL.match(text)
    behind: int | None
    if ending.search("") is None:
        mark = f"</{literal[1].lower()}>" if literal else ending.pattern.replace("\\", "")
        behind = _behind(mark, state, start, end)
    elif silent:
        return ends_paragraph
    else:
        behind = _behind_html(state, start, end)
    if behind is None:
        return False
    if silent:
        return True
    state.line = behind
    token = state.push("html_block", "", 0)
    token.map = [start, behind]
    token.content = state.getLines(start, behind, state.blkIndent, True)  # noqa: FBT003 - takes no name
    return True


def _line(state: "StateBlock", line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _behind(mark: str, state: "StateBlock", start: int, end: int) -> int | None:
    """Return the line behind the one in which a mark ends a block; None if there is none."""
    is_short = _LONG.match(_line(state, start)) is None
    # Lines that are known not to end one: they aren't read again for each that begins among them.
    known: dict[str, tuple[int, int]] = state.env.setdefault("endless", {})
    begin, line = known.get(mark, (0, 0))
    begin, line = (begin, line) if begin <= start < line else (start, start)
    while line < end:
        is_empty = state.isEmpty(line)
        if line > start and (is_short if is_empty else state.sCount[line] < state.blkIndent):
            break
        if mark in _line(state, line).lower():
            return line + 1
        line += 1
    known[mark] = (begin, line)
    return None


def _behind_html(state: "StateBlock", start: int, end: int) -> int:
    """Return the line behind a block that ends at an empty line, before a script, or where its elements have ended."""
    unended = 0
    is_whole = True
    for line in range(start, end):
        text = _line(state, line)
        is_outside = state.isEmpty(line) or state.sCount[line] < state.blkIndent
        is_other = is_whole and (_LITERAL.match(text) or (not unended and text[:1] != "<"))
        if line > start and (is_outside or is_other):
            return line
        for closing, name, ending in _TAG.findall(text):
            if closing:
                unended = max(unended - 1, 0)
            elif not ending and name.lower() not in VOID and not _is_component(name):
                unended += 1
        # A tag or a comment that goes on in the next line: the block isn't divided.
        is_whole = is_whole and text.rfind("<") <= text.rfind(">")
    return end


def _is_component(name: str) -> bool:
    """Return whether an element is one of MDX or Vue, in which Markdown follows without an empty line."""
    return name[0].isupper() and not name.isupper()
