"""Turns a page's HTML into Markdown, and reads what the page says of itself: title, links, canonical address, noindex.

The text is that of `<main>` or `<article>`. A page with neither gives its body without navigation, header and footer
(docs/decisions/0122). Runs in a process of its own (`platform.isolation`), because a hostile page can keep a parser
busy.
"""

import re
from typing import Any, Final
from urllib.parse import urljoin

import html_to_markdown
from selectolax.lexbor import LexborHTMLParser, LexborNode

from helpdesk.knowledge.crawls import escaping
from helpdesk.knowledge.crawls.sitemaps import markdown_links
from helpdesk.platform import charsets

MAX_LINKS = 2_000
MAX_REFRESH_SECONDS = 5
"""A page that sends its readers on after a longer time is meant to be read."""

# By preference. The last ones are what documentation tools and content systems call their text.
_MAIN: Final = (
    "main article",
    "[role=main] article",
    "main",
    "[role=main]",
    "article",
    "#main-content",
    "#content",
    ".markdown-body",
    ".theme-doc-markdown",
    ".entry-content",
    ".post-content",
)
_NOISE: Final = (
    "script, style, template, noscript, iframe, frame, object, embed, svg, canvas, form, button, input, select, "
    "textarea, dialog, nav, aside, [role=navigation], [role=search], [role=complementary], "
    "[aria-hidden=true], [hidden], a.headerlink, a.anchor, a.hash-link, a.anchorjs-link, "
    "a.heading-anchor, .sr-only, .visually-hidden, .breadcrumbs, "
    ".breadcrumb, .toc, .table-of-contents, .pagination, .skip-link"
)
_FRAME: Final = (
    "header, footer, [role=banner], [role=contentinfo], .sidebar, .footer, .header, .navbar, .menu, "
    ".cookie-banner"
)
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*)([A-Za-z][\w+#.-]{0,20})"
)
_NOT_A_LANGUAGE: Final = frozenset(
    {"text", "none", "plaintext", "default", "light", "dark", "wrapper", "container"}
)
_REFRESH: Final = re.compile(r"\s*([\d.]{1,9})\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_DECLARED_BYTES: Final = 4_096
"""Where a page declares its charset, as far as it is looked for. The standard asks pages for the first 1,024 bytes."""
_OPTIONS: Final = html_to_markdown.ConversionOptions(
    bullets="-",
    extract_metadata=False,
    autolinks=False,
    expand_abbreviations=False,
    highlight_style="none",
    heading_style="atx",
    newline_style="backslash",
    br_in_tables=True,
    compact_tables=True,
)
# Two rules at the beginning of a document would be front matter.
_FIRST_RULES: Final = re.compile(r"\A(?:---(?:\n+|\Z))+")
_SEPARATORS: Final = re.compile(r"\s+(?:[|·–—»]|::|-)\s+")


def read_html(body: bytes, content_type: str, address: str) -> dict[str, Any]:
    """Return what an HTML page says; see `pages.Page` for the fields."""
    document = LexborHTMLParser(_decoded(body, content_type))
    base = _attribute(document, "base[href]", "href")
    base = urljoin(address, base) if base else address
    robots = " ".join(
        (node.attributes.get("content") or "").lower()
        for name in ("robots", "helpdesk-crawler")
        for node in document.css(f"meta[name={name} i]")
    )
    page_title = _text(document.css_first("title"))
    says = {
        "canonical": _joined(base, _attribute(document, "link[rel=canonical i]", "href")),
        "alternate": _joined(
            base, _attribute(document, "link[rel~=alternate][type='text/markdown' i]", "href")
        ),
        "refresh": _joined(base, _refresh(document)),
        "noindex": "noindex" in robots or "none" in re.split(r"[\s,]+", robots),
        "links": [] if "nofollow" in robots else _links(document, base),
    }
    title, text = _content(document, base)
    return {**says, "title": title or _without_site(page_title), "text": text}


def read_markdown(body: bytes, content_type: str, address: str) -> dict[str, Any]:
    """Return what a Markdown page says; see `pages.Page` for the fields."""
    text = charsets.decoded_as(body, content_type).replace("\r\n", "\n")
    front, text = _front_matter(text)
    heading = re.search(r"^#[ \t]+(\S.{0,200}?)[ \t#]*$", text, re.MULTILINE)
    title = heading[1] if heading else front
    return {
        "canonical": None,
        "alternate": None,
        "refresh": None,
        "noindex": False,
        "links": [urljoin(address, link) for link in markdown_links(text)[:MAX_LINKS]],
        "title": title,
        "text": text.strip(),
    }


def _decoded(body: bytes, content_type: str) -> str:
    """Return a page as text: by its byte order mark, the header, its own declaration, or the first that fits."""
    header = charsets.codec_of(charsets.named_in(content_type))
    return charsets.decoded(body, header or _declared_codec(body))


def _declared_codec(body: bytes) -> str | None:
    """Return the codec of the charset that a page declares itself, in an XML declaration or in a `meta`."""
    head = LexborHTMLParser(body[:_DECLARED_BYTES].decode("latin-1"))
    metas = [node.attributes for node in head.css("meta[charset], meta[http-equiv=content-type i]")]
    declared = [each.get("charset") or charsets.named_in(f";{each.get('content')}") for each in metas]
    found = next(filter(None, map(charsets.codec_of, [charsets.named_in_xml(body), *declared])), None)
    # A declaration that was readable as ASCII is not in UTF-16.
    return charsets.UTF_8 if found is not None and found.startswith("utf-16") else found


def _content(document: LexborHTMLParser, base: str) -> tuple[str, str]:
    """Return the title that stands in the text, and the text as Markdown."""
    found = next((node for selector in _MAIN for node in document.css(selector)[:1] if _text(node)), None)
    node = found or document.body
    if node is None:
        return "", ""
    heading = _text(node.css_first("h1")) or (_text(document.css_first("h1")) if found else "")
    for noise in node.css(_NOISE if found else f"{_NOISE}, {_FRAME}"):
        noise.decompose()
    for anchor in node.css("h1 a[href^='#'], h2 a[href^='#'], h3 a[href^='#'], h4 a[href^='#']"):
        if len(_text(anchor)) <= 1:
            anchor.decompose()
    for code in node.css("pre"):
        _name_language(code)
    for element in node.css("a[href], img"):
        _make_absolute(element, base)
    escaping.mask(node)
    text = html_to_markdown.convert(node.html or "", _OPTIONS).content or ""
    if heading and not node.css_first("h1"):
        text = f"# {escaping.masked(heading)}\n\n{text}"
    text = _tidied(escaping.unmasked(text))
    return heading.rstrip("¶#§ ").strip(), text


def _name_language(pre: LexborNode) -> None:
    """Put the language of a code block where the converter looks for it."""
    code = pre.css_first("code")
    places = [
        node
        for node in (code, pre, pre.parent, pre.parent.parent if pre.parent else None)
        if node is not None
    ]
    for place in places:
        attributes = place.attributes
        named = attributes.get("data-language") or attributes.get("data-lang") or attributes.get("language")
        match = _LANGUAGE.search(attributes.get("class") or "")
        language = (named or (match[1] if match else "")).lower()
        if language and language not in _NOT_A_LANGUAGE:
            (code if code is not None else pre).attrs["class"] = f"language-{language}"
            return


def _make_absolute(node: LexborNode, base: str) -> None:
    name = "href" if node.tag == "a" else "src"
    value = (node.attributes.get(name) or "").strip()
    scheme = value.partition(":")[0].lower() if ":" in value else ""
    leads_nowhere = value.startswith("#") or scheme in {"javascript", "data"}
    if name == "href" and (leads_nowhere or not (_text(node) or node.css_first("img"))):
        node.unwrap()
    elif name == "src" and (not (node.attributes.get("alt") or "").strip() or scheme == "data" or not value):
        node.decompose()
    else:
        node.attrs[name] = _joined(base, value) or value


def _links(document: LexborHTMLParser, base: str) -> list[str]:
    found: dict[str, None] = {}
    for node in document.css("a[href], area[href], frame[src], iframe[src]"):
        attributes = node.attributes
        link = attributes.get("href") or attributes.get("src") or ""
        if "nofollow" in (attributes.get("rel") or "").lower() or link.startswith("#"):
            continue
        joined = _joined(base, link)
        if joined is not None:
            found[joined] = None
        if len(found) >= MAX_LINKS:
            break
    return list(found)


def _joined(base: str, link: str | None) -> str | None:
    if not link or not link.strip():
        return None
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return None


def _refresh(document: LexborHTMLParser) -> str | None:
    match = _REFRESH.match(_attribute(document, "meta[http-equiv=refresh i]", "content") or "")
    return match[2] if match and _seconds(match[1]) <= MAX_REFRESH_SECONDS else None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


def _attribute(document: LexborHTMLParser, selector: str, name: str) -> str | None:
    node = document.css_first(selector)
    return None if node is None else node.attributes.get(name)


def _text(node: LexborNode | None) -> str:
    return "" if node is None else " ".join(node.text(separator="").split())


def _without_site(title: str) -> str:
    """Return the part of `Page | Site` that names the page."""
    return next((part for part in _SEPARATORS.split(title) if part.strip()), title).strip()


def _tidied(text: str) -> str:
    text = re.sub(r"[ \t]+$", "", text.replace("\N{NO-BREAK SPACE}", " "), flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return _FIRST_RULES.sub("", text)


def _front_matter(text: str) -> tuple[str, str]:
    """Return the title in a text's front matter, and the text without it."""
    match = re.match(r"---\n(.{0,10000}?)\n---\n", text, re.DOTALL)
    if match is None:
        return "", text
    title = re.search(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", match[1], re.MULTILINE)
    return title[1] if title else "", text[match.end() :]
