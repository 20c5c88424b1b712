"""A Markdown file: its front matter, title and text.

Only the top-level scalars of the front matter are read. Its other entries are kept as they are.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

OWN_KEYS = ("title", "url", "id", "version", "digest")
"""The entries that `pull` writes."""

_ENTRY = re.compile(r"([\w][\w .-]*?)\s*:(?:\s+(.*)|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_COMMENT = re.compile(r"\s+#.*$")
_DECORATION = (
    (re.compile(r"\s*\{[^{}]*\}\s*$"), ""),  # {#an-id} or {.a-class}
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"(\*\*|__|`+)(.+?)\1"), r"\2"),
    (re.compile(r"<[^<>]+>"), ""),
)


class FrontMatter(NamedTuple):
    """The entries at the top of a file, each with its lines, and the text after them."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]
    text: str

    def get(self, key: str) -> str | None:
        """Return the value of a scalar; None if it is absent or empty."""
        for name, lines in self.entries:
            if name == key:
                return _scalar(lines) or None
        return None


def parsed(text: str) -> FrontMatter:
    """Return the front matter of a file's text, which has no entries if the file begins otherwise."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter((), text)
    entries: list[tuple[str, list[str]]] = []
    for number, line in enumerate(lines[1:], start=1):
        bare = line.rstrip()
        if bare in {"---", "..."} and entries:
            whole = tuple((name, tuple(parts)) for name, parts in entries)
            return FrontMatter(whole, "\n".join(lines[number + 1 :]))
        begun = _ENTRY.match(bare)
        if begun:
            entries.append((begun[1], [bare]))
        elif bare and not bare.startswith((" ", "\t", "#", "-", "]", "}")):
            break  # a thematic break with a text after it
        elif entries:
            entries[-1][1].append(bare)
    return FrontMatter((), text)


def rendered(own: dict[str, str | int | None], others: FrontMatter, body: str) -> str:
    """Return a file with the given entries, the other entries of `others`, and a text."""
    lines = ["---"]
    for key, value in own.items():
        if value is not None:
            said = json.dumps(value, ensure_ascii=False) if key in {"title", "url"} else value
            lines.append(f"{key}: {said}")
    for name, kept in others.entries:
        if name not in OWN_KEYS:
            lines += kept
    head = "\n".join([*lines, "---", ""])
    # A blank line looks better, where it is not taken for a part of the text.
    return f"{head}\n{body}" if sent(f"\n{body}") == body else f"{head}{body}"


def sent(text: str) -> str:
    """Return a file's text as it is sent: with line feeds, and without blank lines at its beginning."""
    return text.replace("\r\n", "\n").lstrip("\n")


def first_heading(text: str) -> str | None:
    """Return the text of the first heading that is not in a code block, without its markup."""
    fence = ""
    before = ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif opened:
            fence = opened[1]
        elif heading := _HEADING.match(line):
            if plain := _plain(heading[1] or ""):
                return plain
        elif (
            before.strip() and _UNDERLINE.match(line) and not before.startswith(("    ", "\t", ">", "-", "|"))
        ):
            return _plain(before)
        before = "" if opened else line
    return None


def _plain(heading: str) -> str:
    for pattern, instead in _DECORATION:
        heading = pattern.sub(instead, heading)
    return heading.strip()


def _scalar(lines: tuple[str, ...]) -> str:
    value = lines[0].partition(":")[2].strip()
    rest = " ".join(line.strip() for line in lines[1:] if not line.startswith("#"))
    if value.startswith(("|", ">")):
        return rest.strip()
    value = f"{value} {rest}".strip()
    if value.startswith('"'):
        closed = re.match(r'"(?:[^"\\]|\\.)*"', value)
        try:
            return str(json.loads(closed[0] if closed else value))
        except ValueError:
            return value.strip('"')
    if value.startswith("'"):
        closed = re.match(r"'((?:[^']|'')*)'", value)
        return closed[1].replace("''", "'") if closed else value.strip("'")
    value = _COMMENT.sub("", value)
    return "" if value in {"null", "~"} or value.startswith(("[", "{", "#", "- ")) else value
