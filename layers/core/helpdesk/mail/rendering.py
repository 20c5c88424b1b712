"""Renders a mail's subject, plain text and HTML from one list of paragraphs.

People who write names can be malicious. So the subject is a single line, and everything in the HTML is escaped.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from helpdesk.platform.text import one_line, without_hidden

MAX_NAME_CHARACTERS = 80
MAX_SUBJECT_CHARACTERS = 204
"""Two names with words around them, or "Re:" before the subject of a mail that came in."""

# Mail programs read styles of elements only, and those that show mail in the dark replace colors that are set. So none
# is: text and background are the program's own, and `color-scheme` says that both suit.
_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
    "<title>{title}</title></head>"
    '<body style="font: 16px/1.5 -apple-system, BlinkMacSystemFont, Segoe UI, Roboto, sans-serif; max-width: 600px; '
    'margin: 24px auto; padding: 0 16px; overflow-wrap: anywhere">{body}</body></html>'
)
_QUOTE = ' style="margin: 0 0 16px; padding: 0 0 0 12px; border-left: 2px solid #888; font-size: 14px; opacity: .75"'
_SMALL = ' style="font-size: 14px; opacity: .75"'


class Link(NamedTuple):
    """A paragraph with a URL to open; `is_small` for one that few want."""

    url: str
    is_small: bool = False


class Code(NamedTuple):
    """A paragraph with a code to enter."""

    code: str


class Small(NamedTuple):
    """A paragraph about the mail, or about who wrote what follows."""

    text: str


class Rich(NamedTuple):
    """Text with its HTML, which its maker has cleaned."""

    text: str
    html: str


class Quote(NamedTuple):
    """A message from before, and who wrote it when. Mail programs fold it, and cut it from answers."""

    about: str
    text: str
    html: str | None = None


type Paragraph = str | Link | Code | Small | Rich | Quote


class Mail(NamedTuple):
    """A rendered mail. Plain text and HTML have the same content."""

    subject: str
    text: str
    html: str


def rendered(subject: str, paragraphs: Sequence[Paragraph], language: str = "en") -> Mail:
    """Return a mail with this subject and these paragraphs, in a language (ISO 639-1)."""
    title = one_line(subject, MAX_SUBJECT_CHARACTERS)
    text = "\n\n".join(_plain(paragraph) for paragraph in paragraphs) + "\n"
    body = "".join(map(_html, paragraphs))
    return Mail(title, text, _PAGE.format(language=language, title=escape(title), body=body))


def lines(text: str) -> str:
    """Return text of several lines without hidden characters."""
    return "\n".join(without_hidden(line) for line in text.splitlines())


def _plain(paragraph: Paragraph) -> str:
    match paragraph:
        case Link(url, _):
            return url
        case Code(code):
            return code
        case Small(text) | Rich(text, _):
            return text
        case Quote(about, text, _):
            return "\n".join([about, *(f"> {line}".rstrip() for line in text.split("\n"))])
        case str():
            return paragraph


def _html(paragraph: Paragraph) -> str:
    shown = escape(_plain(paragraph)).replace("\n", "<br>")
    match paragraph:
        case Link(_, is_small):
            return f'<p{_SMALL if is_small else ""}><a href="{shown}">{shown}</a></p>'
        case Code():
            return f'<p style="font-size: 28px; letter-spacing: 4px">{shown}</p>'
        case Small():
            return f"<p{_SMALL}>{shown}</p>"
        case Rich(_, html):
            return f"<div>{html}</div>"
        case Quote(about, text, html):
            quoted = html or escape(text).replace("\n", "<br>")
            return f'<p{_SMALL}>{escape(about)}</p><blockquote type="cite"{_QUOTE}>{quoted}</blockquote>'
        case str():
            return f"<p>{shown}</p>"
