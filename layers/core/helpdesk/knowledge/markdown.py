"""Splits Markdown into blocks, and into the sections that are searched and quoted.

A section is the text under one heading. Only what decides where a text may be cut is recognized: code fences (nothing
inside is a heading, and none is left open), headings and blank lines. Texts come from users and have up to 900,000
bytes, so every step is linear in their length.
"""

import re
from collections.abc import Iterator

from helpdesk.platform.record import Record

MAX_HEADING_CHARACTERS = 200
MAX_SECTION_CHARACTERS = 1_600
"""A longer section is split. About 250 words, the length at which a passage still answers one question."""

HEADING_SEPARATOR = " › "

_FENCE = re.compile(r" {0,3}(`{3,}+(?!.*`)|~{3,})")  # what is between back ticks on one line is no fence
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


class Section(Record):
    """A part of a document: its headings from the outermost to its own, its text, and its position."""

    heading: str
    text: str
    position: int


def sections(title: str, text: str) -> list[Section]:
    """Return a document's sections in order, none longer than `MAX_SECTION_CHARACTERS`.

    The document's first heading is left out if it repeats the title. A document that only has headings is one section.
    """
    parts: list[tuple[str, str]] = []
    for path, lines in _under_headings(text):
        repeats_title = bool(path) and path[0].casefold() == title.casefold()
        named = path[1:] if repeats_title else path
        # Every section repeats the headings above it. Without a limit, a small document could fill an index.
        heading = HEADING_SEPARATOR.join(name[:MAX_HEADING_CHARACTERS] for name in named)
        body = "\n".join(lines).strip("\n")
        if body.strip():
            parts += [(heading, piece) for piece in _pieces(body)]
    if not parts:
        parts = [("", piece) for piece in _pieces(text.strip())]
    return [Section(heading, body, position) for position, (heading, body) in enumerate(parts)]


def blocks(text: str) -> list[str]:
    """Return the blocks of a text, which blank lines divide. A code fence with its content is one block."""
    found: list[str] = []
    block: list[str] = []
    for line, fenced in _lines(text):
        if fenced or line.strip():
            block.append(line)
        elif block:
            found.append("\n".join(block))
            block = []
    if block:
        found.append("\n".join(block))
    return found


def is_fence(block: str) -> bool:
    """Return whether a block is fenced code."""
    return _FENCE.match(block) is not None


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it belongs to fenced code, including the fences themselves."""
    mark = ""
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if mark:
            yield line, True
            if fence and fence[1].startswith(mark) and not line.strip().strip(mark[0]):
                mark = ""
        elif fence:
            mark = fence[1]
            yield line, True
        else:
            yield line, False


def _under_headings(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the lines between headings, each with the headings above them."""
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for line, fenced in _lines(text):
        heading = None if fenced else _heading(line, lines)
        if heading is None:
            lines.append(line)
            continue
        yield [name for _, name in path], lines
        lines = []
        level, name = heading
        path = [(outer, outer_name) for outer, outer_name in path if outer < level]
        if name:
            path.append((level, name))
    yield [name for _, name in path], lines


def _heading(line: str, above: list[str]) -> tuple[int, str] | None:
    """Return level and text of a heading, or None. The text of an underlined one is removed from the lines above."""
    marked = _HEADING.match(line)
    if marked:
        return len(marked[1]), line[marked.end() :].strip().rstrip("#").strip()
    alone = above and above[-1].strip() and (len(above) == 1 or not above[-2].strip())
    if alone and "|" not in above[-1] and _UNDERLINE.match(line):
        return (1 if "=" in line else 2), above.pop().strip()
    return None


def _pieces(body: str) -> list[str]:
    """Return a section's text in pieces of at most the limit, cut between blocks if possible."""
    if len(body) <= MAX_SECTION_CHARACTERS:
        return [body]
    pieces: list[str] = []
    piece = ""
    for block in blocks(body):
        for part in _parts(block):
            if piece and len(piece) + 2 + len(part) > MAX_SECTION_CHARACTERS:
                pieces.append(piece)
                piece = part
            else:
                piece = f"{piece}\n\n{part}" if piece else part
    return [*pieces, piece]


def _parts(block: str) -> list[str]:
    """Return one block in parts of at most the limit: whole lines, else sentences, else characters."""
    if len(block) <= MAX_SECTION_CHARACTERS:
        return [block]
    opening, closing = "", ""
    fence = _FENCE.match(block)
    if fence:
        # Each part of long code gets fences of its own.
        first, _, block = block.partition("\n")
        opening, closing = first[:100] + "\n", "\n" + fence[1]
        block = block.removesuffix(closing)
    room = MAX_SECTION_CHARACTERS - len(opening) - len(closing)
    parts: list[str] = []
    part = ""
    for line in _short_lines(block, room):
        if part and len(part) + 1 + len(line) > room:
            parts.append(part)
            part = line
        else:
            part = f"{part}\n{line}" if part else line
    parts.append(part)
    return [opening + part + closing for part in parts]


def _short_lines(block: str, room: int) -> Iterator[str]:
    for line in block.splitlines():
        if len(line) <= room:
            yield line
            continue
        for sentence in _SENTENCE_END.split(line):
            for start in range(0, len(sentence), room):
                yield sentence[start : start + room]
