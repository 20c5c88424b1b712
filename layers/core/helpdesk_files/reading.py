"""What a Markdown file becomes: a title and a text.

The title is the one of the front matter, else the first heading of the first level (`# Title` or `<h1>`), else the
file's name. A lower heading is a part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from helpdesk_files import front_matter, mdx
from helpdesk_files.front_matter import FrontMatter
from helpdesk_files.names import (
    MAX_ALIAS_CHARACTERS,
    MAX_ALIASES,
    MAX_TITLE_CHARACTERS,
    UNTITLED,
    as_name,
    distinct,
)
from helpdesk_files.paths import is_index

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_READ_CHARACTERS = 100_000  # in which the heading is looked for
_HEADING_CHARACTERS = 1_000  # the rest of a longer one is no title
_MOST_NESTED = 60
_MOST_BRACKETS = 200
"""Of one paragraph, heading or cell. The parser looks behind each for its end: quadratic time."""
_PLAIN_CHARACTERS = 2_000  # of a text for an excerpt
_OWN_ID = re.compile(r"\{[#.:/][^{}]*\}\s*$")
"""An id or a class at the end of a heading: `{#limits}`, `{.wide}`, `{: #limits}`, `{/* #limits */}`."""
_HTML_HEADING = re.compile(r"<h1\b.*?</h1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_CODE = frozenset({"code", "pre", "script", "style", "template", "textarea"})


class FileText(NamedTuple):
    """A file's title and text, its front matter, and whether nothing but the file's name gives the title.

    `aliases` are words that find the document; None if the file says nothing about them.
    """

    title: str
    body: str
    matter: FrontMatter
    is_named_by_path: bool
    aliases: tuple[str, ...] | None = None


def read(path: str, text: str) -> FileText:
    """Return what a file becomes, by its path and its text."""
    matter = front_matter.parsed(text.removeprefix("\ufeff"))
    body = sent(matter.text)
    said = as_title(matter.get("title") or "") or as_title(first_heading(body, path))
    return FileText(said or as_title(_name(path)) or UNTITLED, body, matter, not said, _aliases(matter))


def _aliases(matter: FrontMatter) -> tuple[str, ...] | None:
    """Return the words of the entry `aliases`. Some generators of websites keep former addresses there instead."""
    said = matter.get_all("aliases")
    if not said:
        return None if said is None else ()
    names = distinct(as_name(each) for each in said if not each.startswith("/") and "://" not in each)
    return tuple(name for name in names if 0 < len(name) <= MAX_ALIAS_CHARACTERS)[:MAX_ALIASES] or None


def sent(text: str) -> str:
    """Return a file's text as a document has it: with line feeds, and without blank lines at its beginning."""
    return text.replace("\r\n", "\n").lstrip("\n")


def as_markdown(text: str, path: str | None = None) -> str:
    """Return a document's text as Markdown: without front matter and what only MDX has. `path` is its file's."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith(
        "{"
    ):  # an object of JSON is front matter in files alone, and those were read before
        text = front_matter.parsed(text).text
    return mdx.as_markdown(text) if mdx.is_mdx(text, path) else text


def as_title(text: str) -> str:
    """Return a text as a title: on one line, cut at a word; empty if nothing in it is visible."""
    line = as_name(" ".join(text.split()))
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    cut = line[: MAX_TITLE_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def first_heading(text: str, path: str | None = None) -> str:
    """Return the words of the first heading of the first level; empty without one.

    Headings in code, comments, lists and quotations are not the document's.
    """
    return _first_heading(as_markdown(text[:_READ_CHARACTERS], path))[0]


def without_title(markdown: str, title: str) -> str:
    """Return Markdown without its first heading of the first level, if that says the title."""
    words, first, end = _first_heading(markdown[:_READ_CHARACTERS])
    if not words or as_title(words).casefold() != title.casefold():
        return markdown
    lines = markdown.split("\n")
    kept = _HTML_HEADING.sub("", "\n".join(lines[first:end]), count=1)
    return "\n".join([*lines[:first], *([kept] if "<" in kept else []), *lines[end:]])


def _first_heading(markdown: str) -> tuple[str, int, int]:
    """Return the words of the first heading of the first level, and in which lines it is."""
    parser, env = block_parser(), dict[str, object]()
    tokens = parser.parse(markdown, env)
    headings, begun = _Headings(), 0
    for place, token in enumerate(tokens):
        first, end = token.map or (0, 0)
        if token.level == 0 and token.type == "html_block":
            begun = begun if headings.is_open else first
            headings.feed(token.content)
        elif token.level == 0 and token.type == "heading_open" and token.tag == "h1":
            begun = first
            headings.found.append(_words(parser, tokens[place + 1], env))
        elif headings.is_open and token.type == "inline":
            headings.handle_data(_words(parser, token, env))
        if any(headings.found):
            return next(filter(None, headings.found)), begun, end
    return "", 0, 0


def _words(parser: MarkdownIt, token: Token, env: dict[str, object]) -> str:
    children: list[Token] = []
    words = token.content[:_HEADING_CHARACTERS]
    if words.count("[") > _MOST_BRACKETS:
        return words
    parser.inline.parse(words, parser, env, children)
    return _without_id(_text(children))


def _text(children: Sequence[Token]) -> str:
    shown = {"text", "text_special", "code_inline"}
    return "".join(
        " " if each.type in {"softbreak", "hardbreak"} else each.content if each.type in shown else ""
        for each in children
    )


def _without_id(heading: str) -> str:
    return _OWN_ID.sub("", heading).strip()


@cache
def block_parser() -> MarkdownIt:
    """Return a parser of the blocks of a document; what is in a paragraph or a heading is left as it is."""
    # Imported with the first file: it takes as long as all else that some functions import.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MOST_NESTED}).enable("table")
    parser.core.ruler.disable("inline")
    return parser


def limit_brackets(parser: MarkdownIt) -> None:
    """Make a parser leave what has very many brackets as it is, so that their number doesn't decide its time."""

    def leave(state: StateCore) -> None:
        for token in state.tokens:
            if token.type == "inline" and token.content.count("[") > _MOST_BRACKETS:
                token.children = [Token("text", "", 0, content=token.content)]
                token.content = ""

    from markdown_it.token import Token  # noqa: PLC0415 - with the first text

    parser.core.ruler.before("inline", "limit_brackets", leave)


def plain_text(markdown: str) -> str:
    """Return the words that a reader of Markdown sees, on one line: those of its beginning, for an excerpt."""
    shown: list[str] = []
    for token in _parser().parse(markdown[:_PLAIN_CHARACTERS]):
        if token.type in {"fence", "code_block"}:
            shown.append(token.content)
        elif token.type == "html_block":
            shown.append(_TAG.sub(" ", token.content))
        for child in token.children or ():
            is_break = child.type in {"softbreak", "hardbreak"} or child.content.lower().startswith("<br")
            shown.append(" " if is_break else "" if child.type == "html_inline" else child.content)
        shown.append(" ")
    return " ".join("".join(shown).split())


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTED}).enable(["table", "strikethrough"])
    limit_brackets(parser)
    return parser


class _Headings(HTMLParser):
    """Collects the headings of the first level that are written as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.is_open = False
        self._words: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        """Begin a heading, or code, whose headings do not count."""
        if tag in _CODE:
            self._code += 1
        elif tag == "h1" and not self._code:
            self.is_open, self._words = True, []

    def handle_endtag(self, tag: str) -> None:
        """End a heading or code."""
        if tag in _CODE:
            self._code = max(0, self._code - 1)
        elif tag == "h1" and self.is_open:
            self.is_open = False
            self.found.append(_without_id(" ".join("".join(self._words).split())))

    def handle_data(self, data: str) -> None:
        """Add to the open heading."""
        if self.is_open:
            self._words.append(data)


def _name(path: str) -> str:
    """Return the title that a file's name gives: an index is named after its directory."""
    pure = PurePosixPath(path)
    stem = pure.parent.name if is_index(path) and pure.parent.name else pure.stem
    words = stem.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
