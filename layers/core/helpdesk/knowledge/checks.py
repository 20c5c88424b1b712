"""What a document's title, text and address must be, and the form in which they are stored."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from helpdesk.knowledge.errors import (
    MAX_ALIAS_CHARACTERS,
    MAX_ALIASES,
    MAX_BODY_BYTES,
    MAX_PATH_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_URL_CHARACTERS,
    TITLE_TOO_LONG,
    BadUrl,
    BodyMissing,
    BodyTooLarge,
    TitleMissing,
)
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import as_name, is_blank, trimmed, without_hidden
from helpdesk_files.names import distinct


def require_title(title: str | None) -> str:
    """Return a title on one line without hidden characters. Raises TitleMissing, BodyTooLarge (over 120 characters)."""
    line = as_name(title or "")
    if not line:
        raise TitleMissing
    if len(line) > MAX_TITLE_CHARACTERS:
        raise BodyTooLarge(TITLE_TOO_LONG)
    return line


def require_body(body: str | None) -> bytes:
    """Return a text in UTF-8, exactly as it was sent.

    Raises BodyMissing if it is absent or nothing in it is visible, and BodyTooLarge.
    """
    if body is None or is_blank(body):
        raise BodyMissing
    text = body.encode()
    if len(text) > MAX_BODY_BYTES:
        raise BodyTooLarge
    return text


def require_url(url: str) -> str:
    """Return the address of a page, trimmed.

    Raises BadUrl unless it is http or https, with a host and without credentials.
    """
    url = trimmed(url)
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if it is no number
    except ValueError:
        raise BadUrl from None
    plain = url == without_hidden(url) and not any(char.isspace() for char in url)
    if not plain or len(url) > MAX_URL_CHARACTERS or parts.scheme not in {"http", "https"}:
        raise BadUrl
    if not parts.hostname or "@" in parts.netloc:
        raise BadUrl
    return url


def require_aliases(aliases: Iterable[str]) -> tuple[str, ...]:
    """Return aliases on one line each, without hidden characters and without repeats.

    Raises InvalidRequest.
    """
    kept = distinct(map(as_name, aliases))
    if any(not 0 < len(each) <= MAX_ALIAS_CHARACTERS for each in kept):
        raise InvalidRequest(
            f"Each of `aliases` must be 1 to {MAX_ALIAS_CHARACTERS} characters, and must not be blank."
        )
    if len(kept) > MAX_ALIASES:
        raise InvalidRequest(f"`aliases` must have at most {MAX_ALIASES} entries.")
    return tuple(kept)


def require_path(path: str) -> str:
    """Return the path of a file, as it was sent.

    Raises InvalidRequest unless it has up to 1,000 characters, one of them visible and none hidden.
    """
    if is_blank(path) or path != without_hidden(path) or len(path) > MAX_PATH_CHARACTERS:
        raise InvalidRequest(
            f"`path` must be 1 to {MAX_PATH_CHARACTERS:,} characters, without control or hidden characters."
        )
    return path
