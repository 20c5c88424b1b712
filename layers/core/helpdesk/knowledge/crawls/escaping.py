"""A page's text as text in Markdown: what Markdown would read as a mark is escaped, and nothing else.

The converter of HTML leaves most marks in text as they are: `__init__` would be bold. Whether a character is a mark
depends on what stands around it, which only the converter's result shows. So `mask` puts a noncharacter of Unicode in
the place of each special character. `unmasked` puts the characters back, with a backslash before those that need it.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_SPECIAL: Final = "\\`*_[]<>&~|#-+=!.):{'\""
_FIRST_MASK: Final = 0xFDD0  # of the 32 noncharacters that Unicode leaves to programs; no text has them
_MASKS: Final = {ord(char): chr(_FIRST_MASK + place) for place, char in enumerate(_SPECIAL)}
_NOTHING: Final = chr(_FIRST_MASK + 29)  # a paragraph that keeps its neighbors apart, and is not written
_BRACKETS: Final = {ord("["): chr(_FIRST_MASK + 30), ord("]"): chr(_FIRST_MASK + 31)}  # of code in links
_TO_MASKS: Final = dict.fromkeys(range(_FIRST_MASK, _FIRST_MASK + 32), "\N{REPLACEMENT CHARACTER}") | _MASKS
_FROM_MASKS: Final = {ord(mask): chr(char) for char, mask in (*_MASKS.items(), *_BRACKETS.items())}
_MASK: Final = re.compile(f"[{''.join(_MASKS.values())}]")

_CODE: Final = frozenset({"pre", "code", "kbd", "samp", "tt"})
# How the converter marks what it emphasizes.
_EMPHASIS: Final = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("em", "i", "var", "dfn"), "*"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_CAPTIONS: Final = {"summary": "**", "caption": "*", "figcaption": "*"}
_INLINE: Final = frozenset(_EMPHASIS) | frozenset(
    "a abbr acronym bdi bdo big cite data font img ins label mark q ruby small span sub sup time u wbr br".split()  # noqa: SIM905
)
_WHITE: Final = re.compile(r"[ \t\n\r\f\xa0]+")

# What the converter writes before the text of a line: quotations, and items of lists. After anything else, such as the
# mark of a heading or the bar of a table, no block can begin.
_BEFORE: Final = r"^(?:[ >]|[-*+] |\d{1,9}[.)] )*+"
_LINE_START: Final = re.compile(_BEFORE, re.MULTILINE)
_NUMBER: Final = re.compile(rf"{_BEFORE}\d{{1,9}}", re.MULTILINE)
_BEGINS_A_BLOCK: Final = re.compile(
    r"#{1,6}(?=[ \n]|\Z)|[-+*](?=[ \n]|\Z)|[-:][-:| ]*$|=+ *$|>|:::|\[", re.MULTILINE
)
_IMPORT: Final = re.compile(r"^import[ \t][^'\"\n]*", re.MULTILINE)  # by which MDX is recognized
_ENDS_WITH_ADDRESS: Final = re.compile(r"(?:://|www\.)\S*$", re.IGNORECASE)
_ENDS_A_NUMBER: Final = re.compile(r"[.)](?=[ \n]|\Z)")
_IS_A_MARK: Final = {
    char: re.compile(pattern, re.MULTILINE)
    for char, pattern in {
        "\\": r".(?!\w|[ ])|.(?=_)",
        "`": r".",
        "*": r"(?<!\s).|.(?!\s)",
        "_": r"(?<![^\W_]).|.(?![^\W_])",
        "[": r".(?!\w*\](?![(\[:]))|(?<=[!^]).",
        "]": r".",
        "<": r".(?=[A-Za-z/!?>])",
        "&": r".(?=#?\w{1,32};)",
        "~": r"(?<!\s).|.(?!\s)",
        "|": r".",
        "#": r"(?<=[\s#]).(?=#*$)",
        "!": r".(?=\[)",
        "{": r".(?=#|/\*)",
    }.items()
}


def mask(root: LexborNode) -> None:
    """Mask the special characters of a page's text, apart from its code, and make its emphasis expressible."""
    _simplify_code(root)
    texts: list[LexborNode] = []
    emphasized: list[LexborNode] = []
    repeated: list[LexborNode] = []
    waiting: list[tuple[LexborNode, frozenset[str]]] = [(root, frozenset())]
    while waiting:
        node, marks = waiting.pop()
        tag = node.tag or ""
        if node.is_text_node:
            texts.append(node)
        elif tag == "img":
            node.attrs["alt"] = masked(node.attributes.get("alt") or "")
        elif tag not in _CODE:
            if (mark := _EMPHASIS.get(tag) or _CAPTIONS.get(tag)) is not None:
                (repeated if mark in marks else emphasized).append(node)
                marks |= {mark}
            waiting += ((child, marks) for child in node.iter(include_text=True))
    for text in texts:
        text.replace_with(masked(text.text_content or ""))
    _set_apart(root)
    for node in repeated:
        node.unwrap()
    for node in reversed(emphasized):  # the inner ones first
        _make_expressible(node)


def masked(text: str) -> str:
    """Return text on one line, with its special characters masked."""
    return _WHITE.sub(" ", text).translate(_TO_MASKS)


def unmasked(text: str) -> str:
    """Return Markdown with its masked characters, escaped where they would be marks."""
    plain = text.translate(_FROM_MASKS)
    line_starts = {found.end() for found in _LINE_START.finditer(text)}
    numbers = {found.end() for found in _NUMBER.finditer(text)}
    imports = {found.end() for found in _IMPORT.finditer(plain)}
    written: list[str] = []
    done, closing = 0, -1
    for found in _MASK.finditer(text):
        place = found.start()
        char = plain[place]
        if (
            (place in line_starts and _BEGINS_A_BLOCK.match(plain, place))
            or (place in numbers and _ENDS_A_NUMBER.match(plain, place))
            or place in imports
            or (place != closing and char in _IS_A_MARK and _IS_A_MARK[char].match(plain, place))
        ):
            written += [plain[done:place], "\\"]
            done = place
        elif char == "[":
            closing = plain.index("]", place)
    return "".join([*written, plain[done:]]).replace(_NOTHING, "")


def _simplify_code(root: LexborNode) -> None:
    """Leave of code what can be written between its marks: text without space at its ends, and no code beside it."""
    for node in root.css("pre *, code *, kbd *, samp *, tt *"):
        if node.tag == "br":
            node.replace_with("\n")
        elif node.tag in _INLINE or (node.tag in _CODE and not node.css_matches("pre > code")):
            node.unwrap()
    in_blocks = {node.mem_id for node in root.css("pre code")}
    for node in root.css("code, kbd, samp, tt"):
        if node.mem_id in in_blocks:
            continue
        before = _beside(node, is_last=False)
        if not node.text().strip() or (before is not None and before.tag in _CODE):
            node.unwrap()
        else:
            _put_spaces_around(node)
    for node in root.css("a pre, a code"):
        for text_node in [each for each in node.traverse(include_text=True) if each.is_text_node]:
            # The converter would escape brackets there.
            text_node.replace_with((text_node.text_content or "").translate(_BRACKETS))


def _put_spaces_around(node: LexborNode) -> None:
    """Put the spaces at the ends of inline code around it: Markdown drops them."""
    text = node.text()
    for is_last in (False, True):
        if text[-1 if is_last else 0].isspace():
            _insert(node, " ", is_last=is_last)
    code = _element("code")
    code.insert_child(" ".join(text.split()))
    node.replace_with(code)


def _set_apart(root: LexborNode) -> None:
    """Keep apart what the converter would join, and drop the line breaks at the edges of blocks."""
    for node in root.css("li table, li h1, li h2, li h3, li h4, li h5, li h6"):
        if node.prev is not None:
            node.insert_before(_element("p"))
    for node in root.css("blockquote table"):
        node.insert_after(_element("div"))
    for node in root.css("blockquote + blockquote, blockquote + hr"):
        paragraph = _element("p")
        paragraph.insert_child(_NOTHING)
        node.insert_before(paragraph)
    for node in root.css("br"):
        before, after = _beside(node, is_last=False), _beside(node, is_last=True)
        repeats = before is not None and before.tag == "br" and _is_inline(node.parent)
        if repeats or not (_is_inline(before) and _is_inline(after)):
            node.remove()


def _make_expressible(node: LexborNode) -> None:
    """Leave of an element's emphasis what Markdown can express.

    Blocks can't be emphasized. Beside a letter, a mark of emphasis works only if no punctuation follows it inside, as
    in `これは**「強調」**です`. Such punctuation moves out of the element; what can't move isn't emphasized.
    """
    holds_blocks = any(not _is_inline(each) for each in node.traverse() if each.mem_id != node.mem_id)
    if holds_blocks or (node.tag in _EMPHASIS and not _can_be_marked(node)):
        node.unwrap()


def _can_be_marked(node: LexborNode) -> bool:
    """Return whether marks around an element work."""
    if _ENDS_WITH_ADDRESS.search(node.text().translate(_FROM_MASKS)):
        after = _edge(_beside(node, is_last=True), is_last=False)
        if not after.isspace():
            return False  # the mark and what follows would be read as a part of the address
    return not _follows_its_like(node) and _is_free(node, is_last=False) and _is_free(node, is_last=True)


def _follows_its_like(node: LexborNode) -> bool:
    """Return whether the same mark ends right before an element's: the two would be one longer mark."""
    mark = _EMPHASIS[node.tag or ""]
    if node.prev is not None and _EMPHASIS.get(node.prev.tag or "") == mark:
        return False  # the converter writes one mark for both
    around = {each.mem_id for each in _inline_around(node)}
    ended = _inline_around(_beside(node, is_last=False))
    return any(_EMPHASIS.get(each.tag or "") == mark and each.mem_id not in around for each in ended)


def _inline_around(node: LexborNode | None) -> Iterator[LexborNode]:
    while node is not None and _is_inline(node):
        yield node
        node = node.parent


def _is_free(node: LexborNode, *, is_last: bool) -> bool:
    """Move what must not stand at an element's beginning or end out of it; return whether the mark there works."""
    outside = _edge(_beside(node, is_last=is_last), is_last=not is_last)
    while (leaf := _leaf([node], is_last=is_last)) is not None:
        inside = _edge(leaf, is_last=is_last)
        if not inside.isspace() and (
            not _is_punctuation(inside) or outside.isspace() or _is_punctuation(outside)
        ):
            return True
        if leaf.tag == "br":
            leaf.remove()
            _insert(node, _element("br"), is_last=is_last)
        elif leaf.is_text_node:
            text = leaf.text_content or ""
            leaf.replace_with(text[:-1] if is_last else text[1:])
            _insert(node, text[-1] if is_last else text[0], is_last=is_last)
        else:
            return False
        outside = inside
    return False


def _insert(node: LexborNode, what: LexborNode | str, *, is_last: bool) -> None:
    if is_last:
        node.insert_after(what)
    else:
        node.insert_before(what)


def _element(tag: str) -> LexborNode:
    """Return a new element, which is empty."""
    return LexborHTMLParser(f"<{tag}>").css(tag)[0]


def _beside(node: LexborNode, *, is_last: bool) -> LexborNode | None:
    """Return the leaf after an element, or before it; None at the edge of its block."""
    while _is_inline(node):
        beside = node.next if is_last else node.prev
        if beside is not None:
            leaf = _leaf([beside], is_last=not is_last)
            if leaf is not None:
                return leaf
            node = beside
        elif node.parent is not None:
            node = node.parent
    return None


def _leaf(waiting: list[LexborNode], *, is_last: bool) -> LexborNode | None:
    """Return the first or the last part of which something is seen: text, code, a link, an image, a block."""
    while waiting:
        node = waiting.pop()
        if node.is_text_node:
            if node.text_content:
                return node
        elif node.tag in {"img", "a", "br"} or node.tag in _CODE or not _is_inline(node):
            return node
        else:
            children = list(node.iter(include_text=True))
            waiting += children if is_last else reversed(children)
    return None


def _edge(leaf: LexborNode | None, *, is_last: bool) -> str:
    """Return the character that the converter writes at a leaf's beginning or end; a space for the edge of a block."""
    if leaf is None or leaf.tag == "br" or not _is_inline(leaf):
        return " "
    text = leaf.text_content if leaf.is_text_node else None
    return text[-1 if is_last else 0].translate(_FROM_MASKS) if text else "`"


def _is_inline(node: LexborNode | None) -> bool:
    return node is not None and (
        node.is_text_node or node.is_comment_node or node.tag in _INLINE or node.tag in _CODE - {"pre"}
    )


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
