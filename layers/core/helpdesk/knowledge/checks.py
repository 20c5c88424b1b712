"""What a document's title, text and address must be, and the form in which they are stored."""

from collections.abc import Sequence
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


def require_aliases(aliases: Sequence[str]) -> tuple[str, ...]:
    """Return aliases in the form in which they are stored, without repeats. Raises InvalidRequest."""
    if len(aliases) > MAX_ALIASES:
        raise InvalidRequest(f"`aliases` must have at most {MAX_ALIASES} entries.")
    return tuple(distinct(require_alias(each, f"aliases[{place}]") for place, each in enumerate(aliases)))


def require_alias(alias: str, field: str) -> str:
    """Return an alias on one line without hidden characters. Raises InvalidRequest, which names the field."""
    line = as_name(alias)
    if not 0 < len(line) <= MAX_ALIAS_CHARACTERS:
        raise InvalidRequest(
            f"`{field}` must be 1 to {MAX_ALIAS_CHARACTERS} characters, and must not be blank."
        )
    return line


def require_path(path: str) -> str:
    """Return the path of a file, as it was sent.

    Raises InvalidRequest unless it has up to 1,000 characters, one of them visible and none hidden.
    """
    if is_blank(path) or path != without_hidden(path) or len(path) > MAX_PATH_CHARACTERS:
        raise InvalidRequest(
            f"`path` must be 1 to {MAX_PATH_CHARACTERS:,} characters, without control or hidden characters."
        )
    return path
