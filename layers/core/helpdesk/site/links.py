"""Addresses that a page may link to."""

from urllib.parse import urlsplit


def is_page_address(url: str, *, schemes: tuple[str, ...]) -> bool:
    """Return whether a URL is an absolute address of one of the schemes, written without credentials.

    Browsers drop white space and control characters and read a backslash as a slash, so an address with any of them
    is none.
    """
    if not url.isascii() or any(char <= " " or char in '\\\x7f"<>`' for char in url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in schemes:
        return False
    if parts.scheme == "mailto":
        return "@" in parts.path and not parts.netloc
    return bool(host) and "@" not in parts.netloc
