"""What a Markdown file becomes: a title, and a text without what only a website's generator reads.

Front matter goes, apart from its title. Of MDX the imports, exports, comments and components go, and what is between
them stays. Code is left as it is. Each step is linear in the text's length.
"""

import re
from pathlib import PurePosixPath

from helpdesk.knowledge import mdx
from helpdesk.knowledge.errors import MAX_TITLE_CHARACTERS
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.text import without_hidden

EXTENSIONS = (".md", ".mdx", ".markdown")
_INDEXES = {"readme", "index"}
_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL)
_MATTER_CHARACTERS = 20_000
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_LINE_CHARACTERS = 1_000  # of a heading; the rest of a longer line is no title
_MARKS = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)")


class Text(FrozenRecord):
    """A file's title and text, and whether its path gives the title."""

    title: str
    body: str
    by_name: bool


def is_markdown(path: str) -> bool:
    """Return whether a file is mirrored, by its name."""
    return path.lower().endswith(EXTENSIONS)


def read(path: str, content: bytes) -> Text:
    """Return what a file becomes. Bytes that are no UTF-8 are replaced."""
    text = content.decode("utf-8", errors="replace").replace("\x00", "")
    matter = _MATTER.match(text[:_MATTER_CHARACTERS])
    named = ""
    if matter is not None:
        found = _TITLE.search(matter.group(1) or "")
        named = _unquoted(found.group(1)) if found else ""
        text = text[matter.end() :]
    text = text.removeprefix("\ufeff")
    if mdx.is_mdx(text, path):
        text = mdx.as_markdown(text)
    inside = _line(named) or _line(_first_heading(text))
    title = inside or _line(_name(path)) or path[-MAX_TITLE_CHARACTERS:]
    return Text(title, text.strip("\r\n"), by_name=not inside)


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return "" if value[:1] in {"|", ">", "[", "{"} else value.partition(" #")[0]


def _first_heading(text: str) -> str:
    mark, before = "", ""
    for line in text.splitlines():
        fence = mdx.FENCE.match(line)
        if mark:
            if fence is not None and fence.group(1).startswith(mark):
                mark = ""
            continue
        if fence is not None:
            mark = fence.group(1)
            continue
        line = line[:_LINE_CHARACTERS]  # noqa: PLW2901 - what follows reads no more of it
        heading = _HEADING.match(line)
        if heading is not None:
            return _MARKS.sub(r"\1", heading.group(1))
        if before and _UNDERLINE.match(line):
            return _MARKS.sub(r"\1", before)
        before = line.strip()
    return ""


def _name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.stem
    if stem.lower() in _INDEXES and pure.parent.name:
        stem = pure.parent.name
    return stem.replace("-", " ").replace("_", " ").strip().capitalize()


def _line(title: str) -> str:
    line = without_hidden(" ".join(title.split())).strip()
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    cut = line[: MAX_TITLE_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"
