"""Documents as HTML: Markdown, with headings for a table of contents, coloured code, and nothing that could act.

markdown-it-py parses, Pygments colours code by classes, and nh3 has the last word: what it does not list is removed.
The HTML is kept beside the document's text (`article_cache`), so a visitor rarely waits for this. `RELEASE` changes
with every change of the result.

A link to another file of a document's source (`../install.md#linux`) becomes `page:../install.md#linux`, and
`resolved` turns it to the address of that file's page, as it is at that time. An image beside a mirrored file becomes
`image:setup/screen.png`, by the path of the document that has it, and `with_images` gives it its address.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from helpdesk.platform.record import Record
from helpdesk.platform.text import escaped
from helpdesk.site import (
    heading_ids,
    html_in_markdown,
    markdown_parser,
    markdown_tokens,
    prose_language,
    raw_html,
)
from helpdesk.site.boxes import BOXES
from helpdesk.site.markdown_tokens import Heading
from helpdesk.site.texts import texts_in
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, LANGUAGES
from helpdesk_files.paths import SourcePath

if TYPE_CHECKING:
    from markdown_it.token import Token

RELEASE = 12

MOST_HEADINGS = 500
"""In a table of contents. All headings have their ids."""


_PAGE, _IMAGE = "page", "image"
_IN_LINKS = "/%=&;+,:@!$'()*~"  # what stays in the path and the query of a link
_SCHEMES = {"http", "https", "mailto"}
_IMAGE_SOURCE = re.compile(r'(<img(?: [^<>]*)?) src="image:([^"]*)"')
_LINK = re.compile(r'(<a(?: [^<>]*)?) href="page:([^"#]*)(#[^"]*)?"')
_TABLE = re.compile(r"<table([\s>])", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)

_TAGS = frozenset(
    """
    a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h2
    h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp small span strike strong sub summary sup
    table tbody td tfoot th thead time tr tt u ul var wbr
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
    "pre": {"tabindex"},
    "div": {"tabindex"},
}
_ALONE_ON_ITS_PAGE = {"*": _ATTRIBUTES["*"] | {"id"}}
_NAMES = frozenset({"class", "id"}).union(*_ATTRIBUTES.values())


class Rendered(Record):
    """A document as HTML. `description` is its first paragraph, cut; `language` is None where it is not clear."""

    html: str
    headings: tuple[Heading, ...]
    description: str
    language: str | None = None


def render(
    title: str,
    text: str,
    *,
    path: str | None = None,
    url: str | None = None,
    is_mirrored: bool = False,
    is_part: bool = False,
) -> Rendered:
    """Return a document as HTML, without a first heading that repeats its title.

    `path` is the file that it is a copy of, and `url` its public page: relative links are relative to them. With
    `is_mirrored` images come with the file. What is a part of a page with others of its kind, as a message is, has no
    ids: they would be twice on the page, or its own.
    """
    from helpdesk_files import reading  # noqa: PLC0415 - with the first text that is rendered

    parser = markdown_parser.parser()
    env: dict[str, Any] = {
        "coloured": 0,
        "path": path,
        "url": url,
        "is_mirrored": is_mirrored and path is not None,
        "is_part": is_part,
    }
    whole = reading.as_markdown(text, path)
    text = reading.without_title(whole, title)
    env["top"] = title if text != whole else None
    language = prose_language.language_of(text)
    env["titles"] = _titles_of_boxes(language)
    tokens = _arranged(parser.parse(text, env), title, env)
    html = _with_scrolling_tables(parser.renderer.render(tokens, parser.options, env))
    if _has_html(tokens):
        html = raw_html.in_order(html, _TAGS, _NAMES)
    headings = () if is_part else tuple(islice(markdown_tokens.contents(tokens), MOST_HEADINGS))
    return Rendered(_clean(html, env), headings, markdown_tokens.description(tokens), language)


def _arranged(tokens: "list[Token]", title: str, env: dict[str, Any]) -> "list[Token]":
    """Return what was parsed as the page shows it."""
    ids = heading_ids.Ids()
    heading_ids.take_named(tokens, ids)
    for each in markdown_parser.footnote_ids(env):
        ids.take(each)
    html_in_markdown.settle(tokens, _TAGS, ids.take)
    top = heading_ids.note_github_ids(tokens, env["top"])
    if markdown_tokens.is_titled(tokens, title):
        top = tokens[0].meta.get("github")
        tokens = tokens[3:]
    markdown_tokens.level_headings(tokens)
    markdown_tokens.align_cells(tokens)
    _load_images_late(tokens)
    return tokens if env["is_part"] else heading_ids.take(tokens, top, ids)


def count_addresses(html: str) -> int:
    """Return how many addresses `resolved` and `with_images` look up for HTML."""
    return sum(1 for pattern in (_LINK, _IMAGE_SOURCE) for _ in pattern.finditer(html))


def resolved(html: str, address_of: Callable[[str], str | None]) -> str:
    """Return HTML whose links to other files lead to their pages; a link that leads nowhere is plain text.

    `address_of` returns where a relative link leads, which has no fragment; None for nowhere.
    """

    def lead(found: re.Match[str]) -> str:
        address = address_of(_unescaped(found[2]))
        return found[1] if address is None else f'{found[1]} href="{escaped(address)}{found[3] or ""}"'

    return _LINK.sub(lead, html)


def _has_html(tokens: "list[Token]") -> bool:
    """Return whether a document was written with HTML. What Markdown alone makes is in order."""
    return any(
        each.type in {"html_block", "html_inline"}
        for token in tokens
        for each in (token, *(token.children or ()))
    )


def images_in(html: str) -> set[str]:
    """Return the paths of the mirrored images that HTML shows."""
    return {unquote(_unescaped(found[2])) for found in _IMAGE_SOURCE.finditer(html)}


def with_images(html: str, address_of: Callable[[str], str]) -> str:
    """Return HTML whose mirrored images have their addresses; `address_of` returns one by the image's path."""

    def lead(found: re.Match[str]) -> str:
        return f'{found[1]} src="{escaped(address_of(unquote(_unescaped(found[2]))))}"'

    return _IMAGE_SOURCE.sub(lead, html)


def _titles_of_boxes(language: str | None) -> Mapping[str, str]:
    words = texts_in(language if language in LANGUAGES else DEFAULT_LANGUAGE)
    return {kind: words[f"box.{kind}"] for kind in BOXES}


@cache
def _classes() -> dict[str, set[str]]:
    from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped] # noqa: PLC0415

    return {
        "span": {name for name in STANDARD_TYPES.values() if name},
        "div": {"scroll", "admonition", *BOXES},
        "p": {"admonition-title"},
        "pre": {"code"},
    }


def _with_scrolling_tables(html: str) -> str:
    """Return HTML in which each table scrolls by itself, also one that was written as HTML. Nothing is clean yet."""
    return _TABLE_END.sub("</table></div>", _TABLE.sub(r'<div class="scroll" tabindex="0"><table\1', html))


def _clean(html: str, env: dict[str, Any]) -> str:
    import nh3  # noqa: PLC0415

    attributes = _ATTRIBUTES if env["is_part"] else _ATTRIBUTES | _ALONE_ON_ITS_PAGE

    return nh3.clean(
        html,
        tags=set(_TAGS),
        clean_content_tags=set(raw_html.WITHOUT_CONTENT),
        attributes=dict(attributes),
        allowed_classes=_classes(),
        attribute_filter=partial(_attribute, env),
        url_schemes=_SCHEMES,
        link_rel="noopener",
        strip_comments=True,
    )


def _attribute(env: dict[str, Any], tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value; None removes the attribute."""
    if name == "tabindex":
        return "0" if value == "0" else None
    if tag == "img" and name == "src":
        # Here and not in the tokens, so that images which are written as HTML are found, too.
        source = _source(value.strip(), env)
        return source if source.startswith(("https://", f"{_IMAGE}:")) else None
    if name == "id":
        return value if heading_ids.is_id(value) else None
    if name == "href":
        return None if env["is_part"] and value.startswith("#") else _target(value.strip(), env)
    return value


def _load_images_late(tokens: "list[Token]") -> None:
    for token in tokens:
        for child in token.children or ():
            if child.type == "image":
                child.attrSet("loading", "lazy")


def _source(source: str, env: dict[str, Any]) -> str:
    """Return where an image is: elsewhere, mirrored with the file, or beside the document's own page."""
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    if parts.scheme:
        return source
    # On its own page, an absolute path begins at the root of that site.
    is_beside = parts.path and not parts.netloc and not (parts.path.startswith("/") and env["url"])
    if env["is_mirrored"] and is_beside:
        beside = SourcePath.parsed(env["path"]).joined(parts.path)
        return "" if beside is None else f"{_IMAGE}:{quote(str(beside))}"
    return urljoin(env["url"], source) if env["url"] else ""


def _target(href: str, env: dict[str, Any]) -> str | None:
    """Return where a link leads: elsewhere, to a heading, to another file, or beside the document's own page.

    None for a link that leads nowhere.
    """
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or (not parts.netloc and not parts.path and parts.fragment):
        return href
    if parts.netloc or not (parts.path or parts.query):
        return None
    if env["path"] is None:
        return urljoin(env["url"], href) if env["url"] else None
    query = f"?{quote(parts.query, safe=_IN_LINKS)}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{_PAGE}:{quote(parts.path, safe=_IN_LINKS)}{query}{fragment}"


def _unescaped(text: str) -> str:
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
