"""A mail's subject, its plain text and its HTML, from one list of paragraphs.

Names in it are written by people who may mean ill: the subject is one line, and HTML holds everything escaped.
"""

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

MAX_NAME_CHARACTERS = 80

# Control characters, and those that turn the direction of what follows or hide in it. Joiners belong to letters.
_UNSEEN = {"Cc", "Cf", "Cs"}
_JOINERS = "\u200c\u200d"

_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    '<body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em">{body}</body></html>'
)


class Link(NamedTuple):
    """A paragraph that is an address to open."""

    url: str


class Code(NamedTuple):
    """A paragraph that is a code to type in."""

    code: str


type Paragraph = str | Link | Code


class Mail(NamedTuple):
    """What is sent. Plain text and HTML say the same."""

    subject: str
    text: str
    html: str


def rendered(subject: str, paragraphs: Sequence[Paragraph]) -> Mail:
    """Return the mail with a subject and paragraphs."""
    title = one_line(subject, 2 * MAX_NAME_CHARACTERS + 40)
    text = "\n\n".join(_plain(paragraph) for paragraph in paragraphs) + "\n"
    body = "".join(f"<p{_style(paragraph)}>{_html(paragraph)}</p>" for paragraph in paragraphs)
    return Mail(title, text, _PAGE.format(title=escape(title), body=body))


def one_line(text: str, characters: int = MAX_NAME_CHARACTERS) -> str:
    """Return text without line breaks and unseen characters, cut to a number of characters (code points)."""
    spaced = " ".join(text.split())
    return "".join(char for char in spaced if _is_seen(char))[:characters]


def lines(text: str) -> str:
    """Return text of several lines without unseen characters."""
    return "\n".join("".join(char for char in line if _is_seen(char)) for line in text.splitlines())


def _is_seen(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) not in _UNSEEN


def _plain(paragraph: Paragraph) -> str:
    match paragraph:
        case Link(url):
            return url
        case Code(code):
            return code
        case str():
            return paragraph


def _html(paragraph: Paragraph) -> str:
    shown = escape(_plain(paragraph)).replace("\n", "<br>")
    return f'<a href="{shown}">{shown}</a>' if isinstance(paragraph, Link) else shown


def _style(paragraph: Paragraph) -> str:
    return ' style="font-size: 28px; letter-spacing: 4px"' if isinstance(paragraph, Code) else ""
