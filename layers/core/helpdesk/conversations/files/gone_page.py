"""The page that a browser shows for a file that is gone. Programs get the error object instead."""

from html import escape
from http import HTTPStatus

from helpdesk.api.http.content import HtmlPage
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.texts import Sentences

_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark"><title>{text}</title></head><body><p>{text}</p></body></html>'
)
_HEADERS = {
    "cache-control": "no-store",
    "vary": "accept, accept-language",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
}


def is_wanted(accepted: str | None) -> bool:
    """Return whether an Accept header is that of a browser which opens a page."""
    return "text/html" in (accepted or "").lower()


def gone_page(sentences: Sentences) -> HtmlPage:
    """Return the page with the status 404."""
    text = escape(sentences.write(TextName.FILE_GONE))
    return HtmlPage(_PAGE.format(language=sentences.language, text=text), _HEADERS, HTTPStatus.NOT_FOUND)
