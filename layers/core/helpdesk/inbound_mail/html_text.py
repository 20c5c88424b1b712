"""The text of an HTML mail: what a reader sees, in lines, with the marks that `quoting` cuts by.

Nothing of the result names a remote picture, because loading one reports to its sender that the mail was read.
"""

import re
from itertools import islice
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from helpdesk.inbound_mail.quoting import CID, HISTORY, QUOTED, SAID, SIGNED, begins_forward

MAX_HTML_CHARACTERS = 2_000_000
MAX_TAGS = 100_000
"""How much of an HTML text is read, without the pictures that are written into it."""
MAX_NESTED = 400
"""How deep elements are read as nested. The parser's time grows with the square of the depth."""
MAX_QUOTED_LEVELS = 10
MAX_BEGINNING_NODES = 30
"""In how much of an element its first words are looked for."""

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_DATA: Final = re.compile(r"data:[^\"'\s<>]{200,}")
_OF_LETTERS: Final = re.compile("b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u")
_NOT_NESTED: Final = re.compile(
    "area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dt|dd|option"
)
"""Elements that have no content, or that the next one of their kind ends."""
_SKIPPED: Final = re.compile(
    "head|title|script|style|template|iframe|object|embed|svg|math|canvas|select|textarea|button|audio|video"
    "|[-!].*"
)
_APART: Final = re.compile("p|h[1-6]|ul|ol|dl|table|pre|blockquote")
_LINES: Final = re.compile(
    f"{_APART.pattern}|div|tr|li|dt|dd|section|article|header|footer|main|aside|center|address|form|fieldset|figure"
    "|body|hr"
)
_HIDDEN: Final = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|(?<![\w-])(?:font-size|max-height|opacity):0(?:px|pt|em|%)?(?![\w.])"
)
_QUOTE_STYLE: Final = re.compile(r"border-left(?:-width)?:(?!0|none)")
_OUTLOOK_RULE: Final = re.compile(r"border:none;border-top:solid#[0-9a-f]{6}")
_QUOTES: Final = frozenset({"gmail_quote", "protonmail_quote", "tutanota_quote", "yahoo_quoted"})
_SAID: Final = frozenset({"gmail_attr", "moz-cite-prefix"})
_HISTORY: Final = frozenset(
    {
        "appendonsend",
        "divrplyfwdmsg",
        "mail-editor-reference-message-container",
        "outlookmessageheader",
        "reply-intro",
        "yahoo_quoted",
        "zmail_extra",
    }
)
_SIGNATURES: Final = frozenset(
    {
        "applemailsignature",
        "gmail_signature",
        "moz-signature",
        "ms-outlook-mobile-signature",
        "protonmail_signature_block-user",
        "signature",
        "tutanota_signature",
        "ymail_android_signature",
    }
)
_MARKS: Final = dict.fromkeys(map(ord, (CID, HISTORY, SAID, SIGNED)))
_SPACE: Final = re.compile(r"[ \t\n\r\f\v\xa0]+")


def as_text(html: str) -> str:
    """Return the visible text of HTML in lines: links as `text (address)`, pictures by their alternative text.

    Lines of quoted mail begin as in plain text. Marks of `quoting` say where else a mail program put what it quotes.
    The time is linear in the length of the HTML.
    """
    body = LexborHTMLParser(_flattened(html)).body
    writer = _Writer()
    if body is None:
        return ""
    node: LexborNode | None = body
    entering = True
    while node is not None:
        is_inside = not entering or writer.enter(node)
        if entering and is_inside and node.child is not None:
            node = node.child
            continue
        if is_inside:
            writer.leave(node)
        if node.mem_id == body.mem_id:
            break
        following = node.next
        node, entering = (following, True) if following is not None else (node.parent, False)
    return writer.text()


def is_too_long(html: str) -> bool:
    """Return whether only the beginning of HTML is read."""
    return html.count("<") > MAX_TAGS or len(_DATA.sub("", html)) > MAX_HTML_CHARACTERS


def _flattened(html: str) -> str:
    """Return the beginning of HTML that a parser reads in linear time.

    Elements that are nested too deep are empty ones, and those that change letters are spans: a parser repeats
    letters' elements in each paragraph until they are closed.
    """
    html = _DATA.sub("", html)[:MAX_HTML_CHARACTERS]
    pieces: list[str] = []
    depth = end = 0
    for count, tag in enumerate(_TAG.finditer(html)):
        if count == MAX_TAGS:
            return "".join(pieces)
        name = tag[2].lower()
        if _OF_LETTERS.fullmatch(name):
            name = "span"
        if not _NOT_NESTED.fullmatch(name):
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth >= MAX_NESTED:
                name = "wbr"
        pieces += (html[end : tag.start()], f"<{tag[1]}{name}")
        end = tag.end()
    return "".join([*pieces, html[end:]])


class _Writer:
    """Writes the lines of a tree whose nodes are entered and left in their order."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._is_apart = False
        self._opened: dict[int, str] = {}  # by node, the prefix that its lines have
        self._prefixes: list[str] = []
        self._preformatted = 0
        self._numbers: list[int] = []
        self._link: list[str] | None = None

    def text(self) -> str:
        """Return what was written."""
        self._end_line()
        return "\n".join(self._lines)

    def enter(self, node: LexborNode) -> bool:
        """Write what comes before a node's children; return whether these are to be written."""
        name = node.tag or ""
        if name == "-text":
            self._write(node.text_content or "")
            return False
        if _SKIPPED.fullmatch(name):
            return False
        attributes = node.attributes
        style = (attributes.get("style") or "").replace(" ", "").lower()
        if "hidden" in attributes or _HIDDEN.search(style):
            return False
        self._break(name)
        named = _named(attributes)
        is_outlook = name == "div" and _OUTLOOK_RULE.search(style) is not None
        if (is_outlook or named & (_SAID | _HISTORY)) and not begins_forward(_beginning(node)):
            self._mark(SAID if named & _SAID else HISTORY)
            if named & _SAID:
                return False
        if named & _SIGNATURES:
            self._open(node, SIGNED)
        elif name == "blockquote" and (
            attributes.get("type") == "cite" or named & _QUOTES or _QUOTE_STYLE.search(style)
        ):
            self._open(node, QUOTED)
        if name == "img":
            self._picture(attributes, style)
        else:
            self._begin(name)
        return name != "img"

    def _begin(self, name: str) -> None:
        """Write what an element begins with."""
        if name == "br" and not self._end_line():
            self._lines.append(self._prefixed(""))
        elif name == "hr":
            self._write("---")
        elif name == "a":
            self._link = []
        elif name == "pre":
            self._preformatted += 1
        elif name in {"ul", "ol"}:
            self._numbers.append(0 if name == "ol" else -1)
        elif name in {"td", "th"} and self._line:
            self._line.append(" ")
        elif name == "li":
            is_numbered = bool(self._numbers) and self._numbers[-1] >= 0
            if is_numbered:
                self._numbers[-1] += 1
            self._line.append(f"{self._numbers[-1]}. " if is_numbered else "- ")

    def leave(self, node: LexborNode) -> None:
        """Write what comes after a node's children."""
        name = node.tag or ""
        self._break(name)
        if name == "a" and self._link is not None:
            text, self._link = "".join(self._link).strip(), None
            address = _address(node.attributes.get("href") or "", text)
            if address and text:
                self._line.append(f" ({address})")
        elif name == "pre" and self._preformatted:
            self._preformatted -= 1
        elif name in {"ul", "ol"} and self._numbers:
            self._numbers.pop()
        if node.mem_id in self._opened:
            self._end_line()
            self._prefixes.remove(self._opened.pop(node.mem_id))

    def _break(self, name: str) -> None:
        if _LINES.fullmatch(name):
            self._end_line()
            self._is_apart = self._is_apart or _APART.fullmatch(name) is not None

    def _open(self, node: LexborNode, prefix: str) -> None:
        self._end_line()
        self._opened[node.mem_id] = prefix
        self._prefixes.append(prefix)

    def _prefixed(self, line: str) -> str:
        quoted = min(self._prefixes.count(QUOTED), MAX_QUOTED_LEVELS)
        if SIGNED in self._prefixes:
            return SIGNED + line.strip()
        return (QUOTED * quoted + line).rstrip() if quoted else line.rstrip()

    def _mark(self, mark: str) -> None:
        self._end_line()
        self._lines.append(self._prefixed(mark))

    def _end_line(self) -> bool:
        """End a line, and return whether there is something in it."""
        line = "".join(self._line)
        self._line.clear()
        if not line.strip():
            return False
        if self._is_apart and self._lines:
            both = min(self._prefixes.count(QUOTED), self._lines[-1].count(QUOTED, 0, 2 * MAX_QUOTED_LEVELS))
            self._lines.append((QUOTED * both).rstrip())
        self._is_apart = False
        self._lines.append(self._prefixed(line if self._preformatted else line.strip(" ")))
        return True

    def _write(self, text: str) -> None:
        text = text.translate(_MARKS)
        if self._preformatted:
            first, *others = text.replace("\r\n", "\n").split("\n")
            self._line.append(first)
            for other in others:
                self._begin("br")
                self._line.append(other)
            return
        text = _SPACE.sub(" ", text)
        if not self._line or self._line[-1].endswith(" "):
            text = text.lstrip(" ")
        if text:
            self._line.append(text)
            if self._link is not None:
                self._link.append(text)

    def _picture(self, attributes: dict[str, str | None], style: str) -> None:
        """Write a picture's alternative text, and the Content-ID of one that came with the mail."""
        source = (attributes.get("src") or "").strip()
        if _is_dot(attributes, style):
            return
        if source[:4].lower() == "cid:" and len(source) <= 500:
            self._line.append(f"{CID}{unquote(source[4:]).translate(_MARKS)}{CID}")
        alt = _SPACE.sub(" ", attributes.get("alt") or "").strip()[:200]
        if alt:
            # A picture of an emoji stands for the emoji.
            self._write(alt if len(alt) <= 2 and not alt.isalnum() else f"[image: {alt}]")


def _named(attributes: dict[str, str | None]) -> frozenset[str]:
    """Return an element's ID and classes, in lower case, without the prefix that Outlook gives to others'."""
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower().split()
    return frozenset(name.removeprefix("x_") for name in names[:20])


def _beginning(node: LexborNode) -> str:
    """Return how the text of an element begins."""
    inner = islice(node.traverse(include_text=True), MAX_BEGINNING_NODES)
    return "".join(each.text_content or "" for each in inner if each.tag == "-text").strip()


def _is_dot(attributes: dict[str, str | None], style: str) -> bool:
    """Return whether a picture is drawn as a dot or not at all, as those are that report that a mail was read."""
    sizes = {(attributes.get(side) or "").strip().removesuffix("px") for side in ("width", "height")}
    return bool(sizes & {"0", "1"}) or re.search(r"(?<![\w-])(?:width|height):[01]px", style) is not None


def _address(target: str, text: str) -> str | None:
    """Return the address that a link's text does not say; None if it says it, or leads nowhere."""
    target = target.strip()[:2_000]
    scheme, _, rest = target.partition(":")
    if scheme.lower() in {"mailto", "tel"}:
        return None if rest.partition("?")[0].lower() in text.lower() else rest.partition("?")[0]
    if scheme.lower() not in {"http", "https"}:
        return None
    return None if _bare(target) == _bare(text) else target


def _bare(address: str) -> str:
    address = re.sub(r"\A(?:https?://)?(?:www\.)?", "", address.strip().lower())
    return address.rstrip("/")
