"""The ids of headings, by which links lead to them.

A heading has the id that it names (`## Limits {#limits}`), or one made of its words. Most documents were written for
GitHub or Docusaurus, whose ids differ (`#foo_bar`, `#c--d` for "C & D", `#setup-1` for the second "Setup"). So each
heading that names no id is reached by GitHub's id as well, as far as no other element of the page has it.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.knowledge.slugs import slug_of
from helpdesk.platform.text import escaped
from helpdesk.site import markdown_tokens

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_MAX_CHARACTERS = 60
"""Of an id that is made of words; GitHub's is never cut."""

_ID = re.compile(r"""[^\s"'<>`]{1,500}""")
# `{#id}`, `{#id .class}`, `{/* #id */}` of Docusaurus, `{/*id*/}`.
_NAMED = re.compile(r"\{(?:#([^\s{}]+)(?:[ \t][^{}]*)?|/\*[ \t]*#?([^\s{}*]+)[ \t]*\*/)\}")
# Elements of the page around a document have these, which links and labels mean.
_OF_THE_PAGE = frozenset({"content", "helpful", "q"})
_OF_WORDS = frozenset({"Nd", "Nl", "Pc"})


class Ids:
    """Ids, each of which is taken once. That takes constant time, also among thousands of equal headings."""

    def __init__(self, taken: frozenset[str] = _OF_THE_PAGE) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str) -> bool:
        """Take an id; return False if it is taken or no element can have it."""
        if wanted in self._taken or not is_id(wanted):
            return False
        self._taken.add(wanted)
        return True

    def take_numbered(self, wanted: str, first: int) -> str:
        """Take an id, or the next free one with a number behind it; return which."""
        unique = wanted
        if unique in self._taken:
            number = self._numbers.get(wanted, first)
            while (unique := f"{wanted}-{number}") in self._taken:
                number += 1
            self._numbers[wanted] = number + 1
        self._taken.add(unique)
        return unique


def is_id(value: str) -> bool:
    """Return whether an element of a document can have an id."""
    return _ID.fullmatch(value) is not None and value not in _OF_THE_PAGE


def find_in(parser: "MarkdownIt") -> None:
    """Make a parser read the ids that headings name, before the words around them are read as Markdown."""
    parser.core.ruler.after("block", "heading_ids", _read_named)
    parser.add_render_rule("target", _target)


def take_named(tokens: "list[Token]", ids: Ids) -> None:
    """Take the ids that headings name."""
    for heading, _ in markdown_tokens.headings(tokens):
        named = heading.attrGet("id")
        if named is not None:
            heading.attrSet("id", ids.take_numbered(str(named), 2))


def note_github_ids(tokens: "list[Token]", title: str | None) -> str | None:
    """Note the ids of GitHub, for `take`, and return that of the title if a heading with it was taken out.

    GitHub numbers all headings of a document, its title included.
    """
    ids = Ids(frozenset())
    top = _github_id(title or "") or None
    if top is not None:
        ids.take(top)
    for heading, inline in markdown_tokens.headings(tokens):
        github = "" if heading.attrGet("id") else _github_id(markdown_tokens.text_of(inline))
        if github:
            heading.meta["github"] = ids.take_numbered(github, 1)
    return top


def take(tokens: "list[Token]", top: str | None, ids: Ids) -> "list[Token]":
    """Give each heading an id and, where it is free, GitHub's. `top` is GitHub's id of the page's title."""
    for heading, inline in markdown_tokens.headings(tokens):
        if not heading.attrGet("id"):
            own = slug_of(markdown_tokens.words(inline), _MAX_CHARACTERS) or "section"
            heading.attrSet("id", ids.take_numbered(own, 2))
    for heading, inline in markdown_tokens.headings(tokens):
        inline.children = [*_targets(heading.meta.get("github"), ids), *(inline.children or ())]
    return [*_targets(top, ids), *tokens]


def _targets(github: str | None, ids: Ids) -> "Iterator[Token]":
    from markdown_it.token import Token  # noqa: PLC0415

    if github is not None and ids.take(github):
        yield Token("target", "", 0, content=github)


def _target(_: object, tokens: "list[Token]", place: int, *__: object) -> str:
    return f'<span id="{escaped(tokens[place].content)}"></span>'


def _read_named(state: "StateCore") -> None:
    for heading, inline in markdown_tokens.headings(state.tokens):
        place = inline.content.rfind("{")
        named = _NAMED.fullmatch(inline.content, place) if place >= 0 else None
        is_escaped = inline.content[:place].endswith("\\")
        if named is not None and not is_escaped and _ID.fullmatch(named[1] or named[2]):
            heading.attrSet("id", named[1] or named[2])
            inline.content = inline.content[:place].rstrip()


def _github_id(text: str) -> str:
    kept = "".join(char for char in text.lower() if char in " -" or _is_of_words(unicodedata.category(char)))
    return kept.replace(" ", "-")


def _is_of_words(category: str) -> bool:
    return category[0] in "LM" or category in _OF_WORDS
