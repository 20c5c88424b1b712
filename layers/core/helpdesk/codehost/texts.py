"""What a Markdown file becomes: a title, and a text without what only a website's generator reads.

Front matter in YAML, TOML or JSON goes, apart from its title. Of MDX the imports, exports, comments and components go,
and what is between them stays. Code is left as it is. Each step is linear in the text's length.
"""

import json
import re
from pathlib import PurePosixPath

from helpdesk.knowledge import mdx
from helpdesk.knowledge.errors import MAX_TITLE_CHARACTERS
from helpdesk.platform import charsets
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.text import is_blank, without_hidden

EXTENSIONS = (".md", ".mdx", ".markdown")
_INDEXES = {"readme", "index"}
_YAML = re.compile(r"---[ \t]*\r?\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|$)", re.DOTALL)
_JSON_END = re.compile(r"[ \t]*(?:\r?\n|$)")
_MATTER_CHARACTERS = 20_000
_KEY = re.compile(
    r"[^\s:#-][^:\r\n]*:(?:\s|$)"
)  # of YAML; a text between two lines has none at its beginning
_TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE)
_IN_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*+"')
_IN_SINGLE = re.compile(r"'((?:[^']|'')*+)'")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t](.+)")
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


def is_pointer(content: bytes) -> bool:
    """Return whether a file stands for one of Git LFS, which holds its content (git-lfs.com, Specification)."""
    return content.startswith(b"version https://git-lfs.github.com/spec/")


def read(path: str, content: bytes) -> Text:
    """Return what a file becomes. Bytes that aren't UTF-8, and have no byte order mark, are read as Windows-1252."""
    text = charsets.decoded(content).replace("\x00", "").removeprefix("\ufeff")
    named, end = _matter(text[:_MATTER_CHARACTERS])
    text = text[end:].removeprefix("\ufeff")
    if mdx.is_mdx(text, path):
        text = mdx.as_markdown(text)
    inside = _line(named) or _line(_first_heading(text))
    title = inside or _line(_name(path)) or path[-MAX_TITLE_CHARACTERS:]
    return Text(title, text.strip("\r\n"), by_name=not inside)


def _matter(text: str) -> tuple[str, int]:
    """Return the title in a text's front matter, which may be empty, and where the matter ends: 0 without any."""
    if text.startswith("{"):
        return _json_matter(text)
    found = _YAML.match(text) or _TOML.match(text)
    if found is None:
        return "", 0
    inside = found.group(1) or ""
    if text.startswith("-") and not _is_yaml(inside):
        return "", 0
    title = _TITLE.search(inside)
    return (_unquoted(title.group(1).strip()) if title else ""), found.end()


def _json_matter(text: str) -> tuple[str, int]:
    try:
        found, at = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return "", 0
    end = _JSON_END.match(text, at)
    if end is None:
        return "", 0
    title = found.get("title")
    return (title if isinstance(title, str) else ""), end.end()


def _is_yaml(inside: str) -> bool:
    """Return whether what is between two lines of hyphens begins with a key, or is empty."""
    if not inside.strip():
        return True
    lines = (line for line in inside.splitlines() if line.strip() and not line.startswith("#"))
    return _KEY.match(next(lines, "")) is not None


def _unquoted(value: str) -> str:
    """Return a title without its quotes and escapes, and without the comment behind it."""
    if (double := _IN_DOUBLE.match(value)) is not None:
        try:
            return str(json.loads(double[0]))
        except ValueError:  # an escape that JSON does not have
            return double[0][1:-1]
    if (single := _IN_SINGLE.match(value)) is not None:
        return single[1].replace("''", "'")
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
        if heading is not None and (words := _unclosed(heading.group(1).strip())):
            return _MARKS.sub(r"\1", words)
        if before and _UNDERLINE.match(line):
            return _MARKS.sub(r"\1", before)
        before = line.strip()
    return ""


def _unclosed(heading: str) -> str:
    """Return a heading without the signs that close it, which have a space before them."""
    words = heading.rstrip("#")
    return heading if words and not words[-1].isspace() else words.rstrip()


def _name(path: str) -> str:
    pure = PurePosixPath(path)
    stem = pure.stem
    if stem.lower() in _INDEXES and pure.parent.name:
        stem = pure.parent.name
    return stem.replace("-", " ").replace("_", " ").strip().capitalize()


def _line(title: str) -> str:
    """Return a title on one line; empty if nothing in it is visible."""
    line = without_hidden(" ".join(title.split())).strip()
    if is_blank(line):
        return ""
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    cut = line[: MAX_TITLE_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"
