"""Renders a mail's subject, plain text and HTML from one list of paragraphs.

People who write names can be malicious. So the subject is a single line, and everything in the HTML is escaped.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from helpdesk.platform.text import one_line, without_hidden

MAX_NAME_CHARACTERS = 80

_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title></head>'
    '<body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em">{body}</body></html>'
)


class Link(NamedTuple):
    """A paragraph with a URL to open."""

    url: str


class Code(NamedTuple):
    """A paragraph with a code to enter."""

    code: str


type Paragraph = str | Link | Code


class Mail(NamedTuple):
    """A rendered mail. Plain text and HTML have the same content."""

    subject: str
    text: str
    html: str


def rendered(subject: str, paragraphs: Sequence[Paragraph], language: str = "en") -> Mail:
    """Return a mail with this subject and these paragraphs, in a language (ISO 639-1)."""
    title = one_line(subject, 2 * MAX_NAME_CHARACTERS + 40)
    text = "\n\n".join(_plain(paragraph) for paragraph in paragraphs) + "\n"
    body = "".join(f"<p{_style(paragraph)}>{_html(paragraph)}</p>" for paragraph in paragraphs)
    return Mail(title, text, _PAGE.format(language=language, title=escape(title), body=body))


def lines(text: str) -> str:
    """Return text of several lines without hidden characters."""
    return "\n".join(without_hidden(line) for line in text.splitlines())


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
