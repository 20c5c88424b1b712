"""The texts of a section that become vectors: its headings with a few sentences each, without marks and links.

A vector of a whole section says little about any one sentence of it, and the built-in model reads 256 tokens.
So a section has a vector for about every hundred words, and its best one counts.
"""

import re
from collections.abc import Iterator

from helpdesk.knowledge.markdown import HEADING_SEPARATOR, Section

WINDOW_CHARACTERS = 600
"""The most of a section's text in one vector. Headings come on top of it."""

# No repetition passes a second opening mark: a body of 900,000 of them would be read onwards from each.
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)")
_LEFT_OUT = (
    # Links and images become their text, in the second round also links around images.
    (_LINK, r"\1"),
    (_LINK, r"\1"),
    (re.compile(r"<[^<>\n]{1,300}>"), " "),
    # What documentation sites add to Markdown.
    (re.compile(r"^(?:import|export) .*|^:::.*$", re.MULTILINE), " "),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"[*`#>|~]+|-{3,}"), " "),
    (re.compile(r"\s+"), " "),
)
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")


def texts_of(title: str, section: Section) -> list[str]:
    """Return the texts of a section, at least one."""
    parts = [title, *filter(None, section.heading.split(HEADING_SEPARATOR))]
    return [f"{': '.join(parts)}. {window}".strip() for window in _windows(plain(section.text))]


def plain(text: str) -> str:
    """Return Markdown as one line of plain text."""
    text = _without_comments(text)
    for pattern, replacement in _LEFT_OUT:
        text = pattern.sub(replacement, text)
    return text.strip()


def _without_comments(text: str) -> str:
    kept, start = [], 0
    while (opened := text.find("<!--", start)) >= 0 and (
        closed := text.find("-->", opened + len("<!--"))
    ) >= 0:
        kept.append(text[start:opened])
        start = closed + len("-->")
    return " ".join([*kept, text[start:]])


def _windows(text: str) -> list[str]:
    """Return whole sentences joined up to the limit. A longer sentence is cut."""
    windows = [""]
    for piece in _pieces(text):
        if windows[-1] and len(windows[-1]) + 1 + len(piece) > WINDOW_CHARACTERS:
            windows.append(piece)
        else:
            windows[-1] = f"{windows[-1]} {piece}".strip()
    return windows


def _pieces(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        for start in range(0, len(sentence), WINDOW_CHARACTERS):
            yield sentence[start : start + WINDOW_CHARACTERS]
