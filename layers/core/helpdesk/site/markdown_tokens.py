"""What a parsed document says: its headings with their ids, its first sentences, its lists of tasks."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from helpdesk.knowledge.pages import slug_of
from helpdesk.platform.frozen_record import FrozenRecord

if TYPE_CHECKING:
    from markdown_it.token import Token

FIRST_LEVEL = 2
LAST_LEVEL = 6
MAX_DESCRIPTION_CHARACTERS = 160

_CONTENTS_DOWN_TO = 3
_MAX_ID_CHARACTERS = 60
_OWN_ID = re.compile(
    r"[ \t]*\{(?:#([A-Za-z0-9][\w.:-]{0,99})|/\*[ \t]*#([A-Za-z0-9][\w.:-]{0,99})[ \t]*\*/)\}[ \t]*$"
)
_ID = re.compile(r"[^\W_][\w.:-]{0,99}")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
# Elements of the page around a document have these, which links and labels mean.
_PAGE_IDS = frozenset({"content", "helpful", "q"})


class Heading(FrozenRecord):
    """A heading as the table of contents lists it; `level` is 2 or 3."""

    level: int
    id: str
    text: str


def is_heading_id(value: str) -> bool:
    """Return whether a heading can have an id."""
    return _ID.fullmatch(value) is not None and value not in _PAGE_IDS


def words(token: "Token") -> str:
    """Return the text of an inline token."""
    parts = [
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in token.children or ()
        if child.type in {"text", "code_inline", "softbreak", "hardbreak"}
    ]
    return "".join(parts).strip()


def take_ids(tokens: "list[Token]") -> None:
    """Take the ids that headings name (`## Limits {#limits}`) out of their text."""
    for place, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        last = next(reversed(tokens[place + 1].children or []), None)
        named = _OWN_ID.search(last.content) if last is not None and last.type == "text" else None
        if last is not None and named is not None:
            last.content = last.content[: named.start()]
            token.attrSet("id", named[1] or named[2])


def without_title(tokens: "list[Token]", title: str) -> "list[Token]":
    """Return a document without a first heading that repeats its title."""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and _same(words(tokens[1]), title):
        return tokens[3:]
    return tokens


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


def headings(tokens: "list[Token]") -> Iterator[Heading]:
    """Give each heading an id of its own, the one that it names if it can, and yield those of the table of contents."""
    named = {
        str(token.attrGet("id")) for token in tokens if token.type == "heading_open" and token.attrGet("id")
    }
    taken = set(_PAGE_IDS)
    for place, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = words(tokens[place + 1])
        own = str(token.attrGet("id") or "")
        wanted = own or slug_of(text, _MAX_ID_CHARACTERS) or "section"
        number, unique = 1, wanted
        while unique in taken or (not own and unique in named):
            number += 1
            unique = f"{wanted}-{number}"
        taken.add(unique)
        token.attrSet("id", unique)
        level = int(token.tag[1:])
        if level <= _CONTENTS_DOWN_TO and text:
            yield Heading(level, unique, text)


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
