"""What a parsed document says: its headings with their ids, its first sentences, its lists of tasks."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.platform.record import Record

if TYPE_CHECKING:
    from markdown_it.token import Token

FIRST_LEVEL = 2
LAST_LEVEL = 6
MAX_DESCRIPTION_CHARACTERS = 160

_CONTENTS_DOWN_TO = 3
_TASK = re.compile(r"\[([ xX])\][ \t]+")


class Heading(Record):
    """A heading as the table of contents lists it; `level` is 2 or 3."""

    level: int
    id: str
    text: str


def words(token: "Token") -> str:
    """Return the words of an inline token."""
    return text_of(token).strip()


def text_of(token: "Token") -> str:
    """Return the text of an inline token as it is."""
    parts = [
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in token.children or ()
        if child.type in {"text", "code_inline", "softbreak", "hardbreak"}
    ]
    return "".join(parts)


def is_titled(tokens: "list[Token]", title: str) -> bool:
    """Return whether a document begins with a heading that repeats its title."""
    return len(tokens) > 2 and tokens[0].type == "heading_open" and _same(words(tokens[1]), title)


def level_headings(tokens: "list[Token]") -> None:
    """Give headings levels from 2 down, without a gap: the page's own title is the first level."""
    above: list[int] = []
    level = FIRST_LEVEL
    for token in tokens:
        if token.type == "heading_open":
            own = int(token.tag[1:])
            while above and above[-1] >= own:
                above.pop()
            level = min(FIRST_LEVEL + len(above), LAST_LEVEL)
            above.append(own)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def headings(tokens: "list[Token]") -> "Iterator[tuple[Token, Token]]":
    """Yield the beginning of each heading, and what is in it."""
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, tokens[place + 1]


def contents(tokens: "list[Token]") -> "Iterator[Heading]":
    """Yield the headings of the table of contents, which have their ids by now."""
    for heading, inline in headings(tokens):
        level = int(heading.tag[1:])
        text = words(inline)
        if level <= _CONTENTS_DOWN_TO and text:
            yield Heading(level, str(heading.attrGet("id")), text)


def draw_tasks(tokens: "list[Token]") -> None:
    """Draw the boxes of a list of tasks (`- [x] done`): a page has no field that changes nothing."""
    for place, token in enumerate(tokens[2:], 2):
        is_first = tokens[place - 1].type == "paragraph_open" and tokens[place - 2].type == "list_item_open"
        if token.type == "inline" and is_first and token.children and token.children[0].type == "text":
            first = token.children[0]
            task = _TASK.match(first.content)
            if task is not None:
                first.content = ("☐ " if task[1] == " " else "☑ ") + first.content[task.end() :]


def align_cells(tokens: "list[Token]") -> None:
    """Say how cells of tables are aligned by an attribute: a page allows no style."""
    for token in tokens:
        if token.type in {"th_open", "td_open"}:
            style = str(token.attrGet("style") or "")
            if style.startswith("text-align:"):
                token.attrSet("align", style.removeprefix("text-align:"))


def description(tokens: "list[Token]") -> str:
    """Return the first paragraph, cut."""
    for place, token in enumerate(tokens):
        if token.type == "paragraph_open" and token.level == 0:
            text = " ".join(words(tokens[place + 1]).split())
            if text:
                return _cut(text)
    return ""


def _same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _cut(text: str) -> str:
    if len(text) <= MAX_DESCRIPTION_CHARACTERS:
        return text
    return text[: MAX_DESCRIPTION_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
