"""Excerpts of sections for visitors: whole blocks, in their order, that are relevant to the question."""

import re
from collections.abc import Callable

from helpdesk.knowledge.markdown import blocks, is_fence

MAX_EXCERPT_CHARACTERS = 700

_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|mailto:)[^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TABLE_RULE = re.compile(r"^[\s|:-]+$")


def excerpt(text: str, relevance: Callable[[str], float]) -> str:
    """Return an excerpt of a section: all of it if it is short, else its first block and the most relevant others.

    `relevance` returns how much of the question a block holds. Relative links become their text. An ellipsis marks
    blocks that are left out. A paragraph that introduces a list comes with the list, or with as much of it as fits.
    """
    found = [part for block in blocks(_plain(text)) for part in _rows(block)]
    if not found:
        return ""
    quoted = ""
    last = -1
    for place in _chosen(found, relevance):
        block = found[place]
        if last >= 0:
            quoted += "\n" if _is_row(block) and _is_row(found[last]) else "\n\n"
            if place != last + 1 and not _is_row(block):
                quoted += "…\n\n"
        quoted += block
        last = place
    return _shortened(quoted)


def _chosen(found: list[str], relevance: Callable[[str], float]) -> list[int]:
    """Return the places of the blocks to quote, in order. A list that is introduced is cut to what fits, in place."""
    chosen, room = {0}, MAX_EXCERPT_CHARACTERS - len(found[0])
    # The first block usually answers the question. The most relevant others follow, earlier ones first.
    for place in sorted(range(1, len(found)), key=lambda place: (-relevance(found[place]), place)):
        if len(found[place]) + 2 <= room and (relevance(found[place]) or place - 1 in chosen):
            chosen.add(place)
            room -= len(found[place]) + 2
    for place in sorted(chosen):
        follows = place + 1
        if found[place].rstrip().endswith(":") and follows < len(found) and follows not in chosen:
            found[follows] = _beginning(found[follows], room - 2)
            if found[follows]:
                chosen.add(follows)
                room -= len(found[follows]) + 2
            elif place:
                chosen.remove(place)  # without what it introduces, it answers nothing
    return sorted(chosen)


def _beginning(block: str, room: int) -> str:
    """Return the first lines of a block that fit; of code all or nothing."""
    if len(block) <= room:
        return block
    cut = block[: max(room - 2, 0)].rpartition("\n")[0]
    return f"{cut}\n…" if cut and not is_fence(block) else ""


def _plain(text: str) -> str:
    return _RELATIVE_LINK.sub(r"\1", _IMAGE.sub(r"\1", _COMMENT.sub("", text)))


def _rows(block: str) -> list[str]:
    """Split a table into its head and its rows, so that one row may be quoted; return any other block as it is."""
    lines = block.splitlines()
    if is_fence(block) or len(lines) < 3 or not _TABLE_RULE.match(lines[1]):
        return [block]
    return ["\n".join(lines[:2]), *lines[2:]]


def _is_row(block: str) -> bool:
    return block.lstrip().startswith("|")


def _shortened(quoted: str) -> str:
    if len(quoted) <= MAX_EXCERPT_CHARACTERS or is_fence(quoted):
        return quoted
    cut = quoted[:MAX_EXCERPT_CHARACTERS]
    end = max(cut.rfind(". "), cut.rfind("\n"))
    return cut[: end + 1].rstrip() + " …" if end > MAX_EXCERPT_CHARACTERS // 2 else cut.rstrip() + "…"
