"""Documents as HTML: Markdown, with headings for a table of contents, coloured code, and nothing that could act.

markdown-it-py parses, Pygments colours code by classes, and nh3 has the last word: what it does not list is removed.
The HTML is kept beside the document's text (`rendered`), so a visitor rarely waits for this. `RELEASE` changes with
every change of the result.

A link to a file of the same repository or folder (`../setup/install.md#linux`) becomes `page:setup/install.md#linux`,
by the path of the document that has it. `resolved` turns it to the address of that file's page, as it is at that time.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from helpdesk.knowledge.pages import slug_of
from helpdesk.platform.frozen_record import FrozenRecord

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

RELEASE = 1

MAX_DESCRIPTION_CHARACTERS = 160
MAX_COLOURED_CHARACTERS = 20_000
"""A longer block of code stays plain: some of Pygments' expressions take quadratic time."""

_MAX_COLOURED_TOGETHER = 200_000
_MAX_ID_CHARACTERS = 60
_FIRST_LEVEL = 2
_LAST_LEVEL = 6
_CONTENTS_DOWN_TO = 3
_PAGE = "page"
_SCHEMES = {"http", "https", "mailto", _PAGE}
_LINK = re.compile(r'(<a(?: [^<>]*)?) href="page:([^"#?]*)(?:\?[^"#]*)?(#[^"]*)?"')
_ADMONITION = re.compile(
    r"^(:{3,})[ \t]*(?:(note|tip|info|warning|caution|danger)\b[ \t]*(.*))?$", re.IGNORECASE
)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n){0,200}?---[ \t]*(?:\n|\Z)")

_TAGS = frozenset(
    """
    a abbr b blockquote br caption cite code col colgroup dd del details div dl dt em figcaption figure h2 h3 h4 h5 h6
    hr i img ins kbd li mark ol p picture pre q s samp small span strong sub summary sup table tbody td tfoot th thead
    tr u ul var
    """.split()  # noqa: SIM905 - more readable than a list of strings
)
_ATTRIBUTES = {
    "*": {"title", "lang", "dir"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height", "loading"},
    "ol": {"start"},
    "li": {"value"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "details": {"open"},
    **{f"h{level}": {"id"} for level in range(_FIRST_LEVEL, _LAST_LEVEL + 1)},
    "pre": {"tabindex"},
    "div": {"tabindex"},
}


class Heading(FrozenRecord):
    """A heading as the table of contents lists it; `level` is 2 or 3."""

    level: int
    id: str
    text: str


class Rendered(FrozenRecord):
    """A document as HTML. `description` is its first paragraph, cut."""

    html: str
    headings: tuple[Heading, ...]
    description: str


def render(title: str, text: str, *, path: str | None = None, url: str | None = None) -> Rendered:
    """Return a document as HTML, without a first heading that repeats its title.

    `path` is the file that it is a copy of, and `url` its public page: relative links are relative to them.
    """
    parser = _parser()
    env: dict[str, Any] = {"coloured": 0, "path": path, "url": url}
    tokens = parser.parse(_with_admonitions(_FRONT_MATTER.sub("", text.replace("\r\n", "\n"), count=1)), env)
    tokens = _without_title(tokens, title)
    _level_headings(tokens)
    headings = tuple(_headings(tokens))
    _lead_links(tokens, env)
    html = _clean(parser.renderer.render(tokens, parser.options, env))
    return Rendered(html, headings, _description(tokens))


def resolved(html: str, address_of: Callable[[str], str | None]) -> str:
    """Return HTML whose links to other files lead to their pages; a link to a file without a page is plain text.

    `address_of` returns the address of a file's page, by the file's path.
    """

    def lead(found: re.Match[str]) -> str:
        address = address_of(unquote(_unescaped(found[2])))
        return found[1] if address is None else f'{found[1]} href="{_escaped(address)}{found[3] or ""}"'

    return _LINK.sub(lead, html)


@cache
def _parser() -> "MarkdownIt":
    # Imported with the first text that is rendered: most pages show what was rendered before.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": True, "highlight": None}).enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _code_block)
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _fence(_: Any, tokens: "list[Token]", place: int, __: Any, env: dict[str, Any]) -> str:
    token = tokens[place]
    language = token.info.strip().split(maxsplit=1)[0].split("{")[0].lower() if token.info.strip() else ""
    return _code(token.content, language, env)


def _code_block(_: Any, tokens: "list[Token]", place: int, __: Any, env: dict[str, Any]) -> str:
    return _code(tokens[place].content, "", env)


def _code(code: str, language: str, env: dict[str, Any]) -> str:
    coloured = None
    if language and len(code) <= MAX_COLOURED_CHARACTERS and env["coloured"] <= _MAX_COLOURED_TOGETHER:
        coloured = _coloured(code, language)
        env["coloured"] += len(code)
    return f'<pre class="code" tabindex="0"><code>{_escaped(code) if coloured is None else coloured}</code></pre>\n'


def _coloured(code: str, language: str) -> str | None:
    """Return code as HTML with a class for each kind of word; None for a language that Pygments does not know."""
    from pygments import highlight  # type: ignore[import-untyped] # noqa: PLC0415
    from pygments.formatters.html import HtmlFormatter  # type: ignore[import-untyped] # noqa: PLC0415
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped] # noqa: PLC0415
    from pygments.util import ClassNotFound  # type: ignore[import-untyped] # noqa: PLC0415

    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


@cache
def _classes() -> dict[str, set[str]]:
    from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped] # noqa: PLC0415

    kinds = {"note", "tip", "info", "important", "warning", "caution", "danger"}
    return {
        "span": {name for name in STANDARD_TYPES.values() if name},
        "div": {"scroll", "admonition", *kinds},
        "p": {"admonition-title"},
        "pre": {"code"},
    }


def _clean(html: str) -> str:
    import nh3  # noqa: PLC0415

    return nh3.clean(
        html,
        tags=set(_TAGS),
        clean_content_tags={
            "script",
            "style",
            "title",
            "textarea",
            "iframe",
            "noscript",
            "template",
            "svg",
            "math",
        },
        attributes=_ATTRIBUTES,
        allowed_classes=_classes(),
        attribute_filter=_attribute,
        url_schemes=_SCHEMES,
        link_rel="noopener",
        strip_comments=True,
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value; None removes the attribute."""
    if name == "tabindex":
        return "0" if value == "0" else None
    if tag == "img" and name == "src":
        return value if value.startswith("https://") else None
    if name == "id":
        return value if slug_of(value) == value else None
    if name == "href" and value.startswith("//"):
        return None
    return value


def _without_title(tokens: "list[Token]", title: str) -> "list[Token]":
    if len(tokens) > 2 and tokens[0].type == "heading_open" and _same(_words(tokens[1]), title):
        return tokens[3:]
    return tokens


def _same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _level_headings(tokens: "list[Token]") -> None:
    """Give headings levels from 2 down, without a gap: the page's own title is the first level."""
    above: list[int] = []
    level = _FIRST_LEVEL
    for token in tokens:
        if token.type == "heading_open":
            own = int(token.tag[1:])
            while above and above[-1] >= own:
                above.pop()
            level = min(_FIRST_LEVEL + len(above), _LAST_LEVEL)
            above.append(own)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def _headings(tokens: "list[Token]") -> Iterator[Heading]:
    """Give each heading an id of its own, and yield those of the table of contents."""
    taken: set[str] = set()
    for place, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = _words(tokens[place + 1])
        wanted = slug_of(text, _MAX_ID_CHARACTERS) or "section"
        number, unique = 1, wanted
        while unique in taken:
            number += 1
            unique = f"{wanted}-{number}"
        taken.add(unique)
        token.attrSet("id", unique)
        level = int(token.tag[1:])
        if level <= _CONTENTS_DOWN_TO and text:
            yield Heading(level, unique, text)


def _lead_links(tokens: "list[Token]", env: dict[str, Any]) -> None:
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href") or ""), env))
            elif child.type == "image":
                source = str(child.attrGet("src") or "")
                if env["url"] and not urlsplit(source).scheme:
                    source = urljoin(env["url"], source)
                child.attrSet("src", source)
                child.attrSet("loading", "lazy")


def _target(href: str, env: dict[str, Any]) -> str:
    """Return where a link leads: elsewhere, to a heading, to another file's page, or beside the document's own page."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or (not parts.path and parts.fragment):
        return href
    if env["path"] is not None:
        # As in a repository, an absolute path begins at its root.
        folder = "" if parts.path.startswith("/") else posixpath.dirname(env["path"])
        joined = posixpath.normpath(posixpath.join(folder, unquote(parts.path).lstrip("/"))).lstrip("/")
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return f"{_PAGE}:{joined}{fragment}"
    return urljoin(env["url"], href) if env["url"] else ""


def _with_admonitions(text: str) -> str:
    """Return text in which `:::tip` blocks are boxes."""
    lines: list[str] = []
    fence, opened = "", 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and (
            not fence or (mark[1].startswith(fence) and not line.strip().strip(fence[0]))
        ):
            fence = "" if fence else mark[1]
        found = None if fence else _ADMONITION.match(line.rstrip())
        if found is not None and found[2]:
            kind, title = found[2].lower(), found[3].strip().strip("[]")
            heading = _escaped(title or kind.capitalize())
            lines += ["", f'<div class="admonition {kind}"><p class="admonition-title">{heading}</p>', ""]
            opened += 1
        elif found is not None and opened:
            lines += ["", "</div>", ""]
            opened -= 1
        else:
            lines.append(line)
    return "\n".join([*lines, *["", "</div>"] * opened])


def _description(tokens: "list[Token]") -> str:
    for place, token in enumerate(tokens):
        if token.type == "paragraph_open" and token.level == 0:
            words = " ".join(_words(tokens[place + 1]).split())
            if words:
                return _cut(words)
    return ""


def _cut(words: str) -> str:
    if len(words) <= MAX_DESCRIPTION_CHARACTERS:
        return words
    return words[: MAX_DESCRIPTION_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"


def _words(token: "Token") -> str:
    """Return the text of an inline token."""
    parts = [
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in token.children or ()
        if child.type in {"text", "code_inline", "softbreak", "hardbreak"}
    ]
    return "".join(parts).strip()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _unescaped(text: str) -> str:
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
